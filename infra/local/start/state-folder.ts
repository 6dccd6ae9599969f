import { closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDatabaseFailure, openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { returnInFlight } from '#shared/adapters/sqlite/in-flight.ts';
import { AppError } from '#shared/errors.ts';

/** The state file, or its folder, cannot be used. The message names it and what to do. */
class StateFolderError extends AppError {
  override readonly name = 'StateFolderError';
  readonly code = 'state-folder';
  readonly retryable = false;
}

/** Where the embedded stack keeps what it keeps; this process alone uses it until `release`. */
export interface StateFolder {
  /** Absolute path of the file that holds store and queues. */
  readonly file: string;
  readonly logFile: string;
  readonly kubeconfigFile: string;
  /** Lets another process use the state. */
  release(): void;
}

const SQLITE_BUSY = 5;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Level by level: where a folder cannot be made (below /proc), Node's own recursion never ends. */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolders(dirname(folder));
  mkdirSync(folder);
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    throw new StateFolderError(
      `cannot make the folder ${folder} (${codeOf(error)}): name another state file with --state`,
      { cause: error },
    );
  }
}

/**
 * SQLite's lock on a file of its own: the operating system gives it up when the process dies, however it dies, which a
 * file with a process id would not.
 */
function lock(file: string): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(`${file}.lock`, { timeout: 0 });
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    const busy =
      isDatabaseFailure(error) && 'errcode' in error && Number(error.errcode) === SQLITE_BUSY;
    throw new StateFolderError(
      busy
        ? `another starfold start uses the state ${file}: end it first, or name another state file with --state`
        : `cannot lock the state ${file} (${codeOf(error)}: ${String(error)}): check the permissions of its folder, or name another state file with --state`,
      { cause: error },
    );
  }
}

/**
 * Makes the folder of a state file and takes it into use. What a process that died had in flight is delivered again at
 * once.
 *
 * @throws StateFolderError when another process uses it or it cannot be used; DatabaseFileError when the file is none of
 *   Starfold's.
 */
export function openStateFolder(path: string): StateFolder {
  const file = resolve(path);
  const folder = dirname(file);
  makeFolder(folder);
  const held = lock(file);
  try {
    const database = openSqliteDatabase(file);
    returnInFlight(database);
    database.close();
    const logFile = join(folder, 'starfold.log');
    closeSync(openSync(logFile, 'a'));
    return {
      file,
      logFile,
      kubeconfigFile: join(folder, 'kubeconfig'),
      release: () => held.close(),
    };
  } catch (error) {
    held.close();
    throw error;
  }
}

/** Writes a kubeconfig that its owner alone can read. */
export function writeKubeconfig(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}
