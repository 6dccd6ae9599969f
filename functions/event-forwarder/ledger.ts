import { createHash } from 'node:crypto';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { ObjectContent, Outbox } from './outbox.ts';

/** An object's event without `first`, which the ledger knows. */
export type Statement = ObjectContent extends infer Content
  ? Content extends ObjectContent
    ? Omit<Content, 'first'>
    : never
  : never;

interface Entry {
  readonly statement: Statement;
  readonly fingerprint: string;
}

function fingerprintOf(value: JsonValue): string {
  return createHash('sha256').update(stringifyJson(value)).digest('base64');
}

/**
 * What stands in the source and has been said of it. It says only what is new, and says everything again in a snapshot.
 */
export class Ledger {
  readonly #outbox: Outbox;
  readonly #entries = new Map<string, Entry>();

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** Objects that stand. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * An object stands like this.
   *
   * @param compared what must differ from the last time for it to be said again.
   */
  stand(key: string, statement: Statement, compared: JsonValue): void {
    const fingerprint = fingerprintOf(compared);
    const known = this.#entries.get(key);
    this.#entries.set(key, { statement, fingerprint });
    if (known?.fingerprint !== fingerprint)
      this.#outbox.putObject(key, { ...statement, first: known === undefined });
  }

  /** An object stands no longer; `statement` says so. */
  fall(key: string, statement: Statement): void {
    if (this.#entries.delete(key)) this.#outbox.putObject(key, { ...statement, first: false });
  }

  /** Says that everything that stands has been said since the forwarder started: the first snapshot's end. */
  complete(): void {
    this.#outbox.putSnapshot({ ...this.#outbox.version, sequence: 0 });
  }

  /** Says everything that stands once more, then that this was everything. */
  snapshot(): void {
    const since = this.#outbox.version;
    for (const [key, { statement }] of this.#entries)
      this.#outbox.putObject(key, { ...statement, first: true });
    this.#outbox.putSnapshot(since);
  }
}
