import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { AppError } from '#shared/errors.ts';
import { type GroupedWrite, groupedWrites } from './grouped-writes.ts';
import { diskFails, diskFull, type FILE_PROBLEMS, unusableFile } from './messages.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, upgradeFrom } from './schema.ts';
import { createWakeUps, type WakeUps } from './wake-ups.ts';

/** Why a database file cannot be used. */
export type DatabaseFileProblem = keyof typeof FILE_PROBLEMS;

/** The database file cannot be used. The message names the file and the remedy. */
export class DatabaseFileError extends AppError {
  override readonly name = 'DatabaseFileError';
  readonly code = 'database-file';
  readonly retryable = false;
  readonly file: string;
  readonly problem: DatabaseFileProblem;
  constructor(
    { file, problem }: { readonly file: string; readonly problem: DatabaseFileProblem },
    options?: ErrorOptions,
  ) {
    super(unusableFile(file, problem), options);
    this.file = file;
    this.problem = problem;
  }
}

/** One open database file, shared by the item store and the queues of a process. */
export interface SqliteDatabase {
  readonly file: string;
  /** For the queues of this process. */
  readonly wakeUps: WakeUps;
  /** Prepares a statement that is run many times. Throws SQLite's error. */
  prepare(sql: string): StatementSync;
  /**
   * Runs the function in one write transaction. All of its changes take effect, or none if it throws. Throws the error of the
   * function or of SQLite.
   */
  transaction<T>(body: () => T): T;
  /** Like {@link SqliteDatabase.transaction}, but a moment later, and in one transaction with others. */
  readonly write: GroupedWrite;
  /** Closes the file. A call that is still waiting for a message fails. The second close has no effect. */
  close(): void;
}

/** Options of a database file. */
export interface SqliteDatabaseOptions {
  /** How long to wait for a lock of another process. Default: 5,000. */
  readonly busyTimeoutMs?: number;
  /**
   * Opens the file for reading only, even while another process writes it. If the file does not exist, it is not created, and
   * every write fails. Default: false.
   */
  readonly readOnly?: boolean;
}

const DEFAULT_BUSY_TIMEOUT_MS = 5_000;

// SQLite's primary result codes (sqlite.org/rescode.html).
const PROBLEM_OF_RESULT: Readonly<Record<number, DatabaseFileProblem>> = {
  5: 'locked',
  11: 'not-a-database',
  13: 'disk-full',
  26: 'not-a-database',
};
const PRIMARY_RESULT_MASK = 0xff;

/** Whether an error comes from the database (locked, full, closed, damaged) and not from the caller's code. */
export function isDatabaseFailure(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ERR_SQLITE_ERROR' || error.code === 'ERR_INVALID_STATE')
  );
}

/** SQLite's primary result code of its failure; 0 for a failure without one, such as the use of a closed database. */
function primaryResult(error: Error): number {
  return 'errcode' in error ? Number(error.errcode) & PRIMARY_RESULT_MASK : 0;
}

/** Why a database file cannot be used, by the failure of an attempt to use it (sqlite.org/rescode.html). */
export function problemOf(error: Error): DatabaseFileProblem {
  return PROBLEM_OF_RESULT[primaryResult(error)] ?? 'cannot-open';
}

const SQLITE_IOERR = 10;

const DISK_FULL = new RegExp(diskFull('.+'));

/** The part of a message that says that the disk of a database is full, or `undefined` if it says nothing of that. */
export function diskFullIn(message: string): string | undefined {
  return DISK_FULL.exec(message)?.[0];
}

/**
 * The message for a failure of a database that was open: the cause, and the remedy if the cause is the disk.
 *
 * @param error for which {@link isDatabaseFailure} is true
 */
export function failureText(file: string, error: Error): string {
  if (problemOf(error) === 'disk-full') return diskFull(file);
  if (primaryResult(error) === SQLITE_IOERR) return diskFails(file, error.message);
  return `${file}: ${error.message}`;
}

/**
 * With a write-ahead log, no transaction needs a sync to survive the death of the process. A checkpoint syncs and delays
 * everything meanwhile. Therefore checkpoints are rare here: when the log has 64 MB. The embedded stack makes them in another thread
 * (`checkpoints.ts`), so that the log is usually much shorter. A log that begins again keeps up to 64 MB, because a file that grows
 * again costs the writer more than the pages that it writes.
 *
 * The cache has room for the pages of the queues and for the upper pages of the indexes. It is not larger, because SQLite walks through
 * the whole cache after each transaction that has moved pages of a B-tree (`pcache1Truncate`).
 */
const SETTINGS = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 16384;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -8192;
`;

function pragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}

type Schema = 'none' | 'older' | 'current' | 'foreign' | 'newer-schema';

function readSchema(connection: DatabaseSync): Schema {
  const version = pragma(connection, 'user_version');
  if (pragma(connection, 'application_id') === APPLICATION_ID) {
    if (version > SCHEMA_VERSION) return 'newer-schema';
    return version < SCHEMA_VERSION ? 'older' : 'current';
  }
  const tables = connection.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  return version === 0 && tables?.['count'] === 0 ? 'none' : 'foreign';
}

/** Creates the tables, or upgrades those of an older release, in one transaction. */
function bringUpToDate(connection: DatabaseSync): void {
  connection.exec('BEGIN IMMEDIATE');
  // Another process may have done so since the check.
  const schema = readSchema(connection);
  if (schema === 'none') connection.exec(SCHEMA);
  if (schema === 'older') connection.exec(upgradeFrom(pragma(connection, 'user_version')));
  connection.exec('COMMIT');
}

function prepareFile(connection: DatabaseSync, file: string): void {
  const schema = readSchema(connection);
  if (schema === 'foreign' || schema === 'newer-schema')
    throw new DatabaseFileError({ file, problem: schema });
  // With a write-ahead log and NORMAL, a commit survives the death of the process. The commits of the last moments may not
  // survive a crash of the machine. FULL would cost a sync of the disk for each commit.
  connection.exec(SETTINGS);
  if (schema !== 'current') bringUpToDate(connection);
}

function checkReadable(connection: DatabaseSync, file: string): void {
  const schema = readSchema(connection);
  // The file of an older release only differs in the queues, which nobody reads without writing.
  if (schema === 'current' || schema === 'older') return;
  throw new DatabaseFileError({ file, problem: schema === 'none' ? 'empty' : schema });
}

/** How a file is opened. */
interface Opening {
  readonly busyTimeoutMs: number;
  readonly readOnly: boolean;
}

function openFile(file: string, { busyTimeoutMs, readOnly }: Opening): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { readOnly });
    // The option `timeout` needs Node 22.16.
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    if (readOnly) checkReadable(connection, file);
    else prepareFile(connection, file);
    return connection;
  } catch (error) {
    connection?.close();
    if (!isDatabaseFailure(error)) throw error;
    const found = problemOf(error);
    const problem = readOnly && found === 'cannot-open' ? 'cannot-read' : found;
    throw new DatabaseFileError({ file, problem }, { cause: error });
  }
}

function transactions(connection: DatabaseSync): SqliteDatabase['transaction'] {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  return (body) => {
    begin.run();
    try {
      const result = body();
      commit.run();
      return result;
    } catch (error) {
      try {
        rollback.run();
      } catch {
        // SQLite has rolled back by itself, as after some errors, for example if the disk is full.
      }
      throw error;
    }
  };
}

/**
 * Opens the database file. If the file or its tables do not exist, they are created, unless it is opened for reading only.
 * `:memory:` is a database without a file. Several processes may open the same file.
 *
 * @throws DatabaseFileError if the file cannot be used.
 */
export function openSqliteDatabase(
  file: string,
  options: SqliteDatabaseOptions = {},
): SqliteDatabase {
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, readOnly = false } = options;
  if (readOnly && !existsSync(file)) throw new DatabaseFileError({ file, problem: 'missing' });
  if (!existsSync(dirname(file))) throw new DatabaseFileError({ file, problem: 'folder-missing' });
  const connection = openFile(file, { busyTimeoutMs, readOnly });
  const version = connection.prepare('PRAGMA data_version');
  const wakeUps = createWakeUps(() => Number(version.get()?.['data_version']));
  const transaction = transactions(connection);
  return {
    file,
    wakeUps,
    prepare: (sql) => connection.prepare(sql),
    transaction,
    write: groupedWrites(transaction, wakeUps),
    close: () => {
      if (!connection.isOpen) return;
      connection.close();
      wakeUps.notifyAll();
    },
  };
}
