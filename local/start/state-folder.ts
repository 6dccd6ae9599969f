import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  DatabaseFileError,
  isDatabaseFailure,
  openSqliteDatabase,
  problemOf,
} from '#shared/adapters/sqlite/database.ts';
import { returnInFlight } from '#shared/adapters/sqlite/in-flight.ts';
import { messageOf } from '#shared/errors.ts';
import { SORT } from '#shared/state/keys.ts';
import {
  makePrivateFile,
  makePrivateFolder,
  StateFolderError,
  shutFiles,
} from './private-files.ts';
import { cannotLock, FILE_REASONS, stateInUse, unusableFolder } from './state-messages.ts';

/** The folder of the embedded stack's state. Only this process uses it until `release`. */
export interface StateFolder {
  /** Absolute path of the file with the store and the queues. */
  readonly file: string;
  readonly logFile: string;
  readonly kubeconfigFile: string;
  /** The kubeconfig for the API of the WECs' statuses. */
  readonly apiKubeconfigFile: string;
  /** Allows another process to use the state. */
  release(): void;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return FILE_REASONS.get(code) ?? code;
}

/** The suffixes of the files that SQLite and a start create beside a database. */
const SQLITE_SUFFIXES = ['', '-wal', '-shm', '-journal'];
const LOG = 'starfold.log';
const KUBECONFIG = 'kubeconfig';
const API_KUBECONFIG = 'api-kubeconfig';

/** The names of all files that may exist beside a state file of this name. */
function ownNames(state: string): readonly string[] {
  const databases = [state, `${state}.lock`];
  return [
    ...databases.flatMap((name) => SQLITE_SUFFIXES.map((suffix) => `${name}${suffix}`)),
    ...[LOG, `${LOG}.1`, ...[KUBECONFIG, API_KUBECONFIG].flatMap((name) => [name, `${name}.new`])],
  ];
}

function makeFolder(folder: string, names: readonly string[]): void {
  try {
    makePrivateFolder(folder, (name) => names.includes(name));
  } catch (error) {
    if (error instanceof StateFolderError) throw error;
    throw new StateFolderError(unusableFolder(folder, reasonOf(error)), { cause: error });
  }
}

/**
 * SQLite's lock on a separate file. The operating system releases it when the process ends in any way, unlike a file
 * with a process id.
 */
function lock(file: string): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    makePrivateFile(`${file}.lock`);
    connection = new DatabaseSync(`${file}.lock`, { timeout: 0 });
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (error instanceof StateFolderError) throw error;
    const problem = isDatabaseFailure(error) ? problemOf(error) : undefined;
    if (problem === 'disk-full') throw new DatabaseFileError({ file, problem }, { cause: error });
    const message = problem === 'locked' ? stateInUse(file) : cannotLock(file, messageOf(error));
    throw new StateFolderError(message, { cause: error });
  }
}

/**
 * Creates the folder of a state file and locks it. Messages that were in flight in a process that ended are delivered
 * again immediately. Only this user can access the folder and all files in it, regardless of the umask. Existing access
 * of others is removed.
 *
 * @throws StateFolderError if another process uses it, or if it cannot be used, is a link or belongs to another user;
 *   DatabaseFileError if the file is not Starfold's
 */
export function openStateFolder(path: string): StateFolder {
  const file = resolve(path);
  const folder = dirname(file);
  const names = ownNames(basename(file));
  makeFolder(folder, names);
  shutFiles(names.filter((name) => name !== KUBECONFIG).map((name) => join(folder, name)));
  const held = lock(file);
  try {
    makePrivateFile(file);
    const database = openSqliteDatabase(file);
    returnInFlight(database, SORT.trying);
    database.close();
    const logFile = join(folder, LOG);
    makePrivateFile(logFile);
    return {
      file,
      logFile,
      kubeconfigFile: join(folder, KUBECONFIG),
      apiKubeconfigFile: join(folder, API_KUBECONFIG),
      release: () => held.close(),
    };
  } catch (error) {
    held.close();
    throw error;
  }
}
