/** The part of dynalite, a DynamoDB in one process, that the tests use: it comes without types. */
declare module 'dynalite' {
  /** How long tables take to change, in milliseconds. */
  interface DynaliteOptions {
    readonly createTableMs?: number;
    readonly updateTableMs?: number;
    readonly deleteTableMs?: number;
  }
  function dynalite(options: DynaliteOptions): import('node:http').Server;
  export = dynalite;
}
