import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  DatabaseFileError,
  isDatabaseFailure,
  openSqliteDatabase,
  problemOf,
} from '#shared/adapters/sqlite/database.ts';
import { returnInFlight } from '#shared/adapters/sqlite/in-flight.ts';
import { SORT } from '#shared/state/keys.ts';
import {
  makePrivateFile,
  makePrivateFolder,
  StateFolderError,
  shutFiles,
} from './private-files.ts';

/** Where the embedded stack keeps what it keeps; this process alone uses it until `release`. */
export interface StateFolder {
  /** Absolute path of the file that holds store and queues. */
  readonly file: string;
  readonly logFile: string;
  readonly kubeconfigFile: string;
  /** Lets another process use the state. */
  release(): void;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** What SQLite puts beside a database, and what a start puts beside that. */
const SQLITE_SUFFIXES = ['', '-wal', '-shm', '-journal'];
const LOG = 'starfold.log';
const KUBECONFIG = 'kubeconfig';

/** Names of everything that is ever kept beside a state file of this name. */
function ownNames(state: string): readonly string[] {
  const databases = [state, `${state}.lock`];
  return [
    ...databases.flatMap((name) => SQLITE_SUFFIXES.map((suffix) => `${name}${suffix}`)),
    ...[LOG, `${LOG}.1`, KUBECONFIG, `${KUBECONFIG}.new`],
  ];
}

function makeFolder(folder: string, names: readonly string[]): void {
  try {
    makePrivateFolder(folder, (name) => names.includes(name));
  } catch (error) {
    if (error instanceof StateFolderError) throw error;
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
    makePrivateFile(`${file}.lock`);
    connection = new DatabaseSync(`${file}.lock`, { timeout: 0 });
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (error instanceof StateFolderError) throw error;
    const problem = isDatabaseFailure(error) ? problemOf(error) : undefined;
    if (problem === 'disk-full') throw new DatabaseFileError({ file, problem }, { cause: error });
    throw new StateFolderError(
      problem === 'locked'
        ? `another starfold start uses the state ${file}: end it first, or name another state file with --state`
        : `cannot lock the state ${file} (${codeOf(error)}: ${String(error)}): check the permissions of its folder, or name another state file with --state`,
      { cause: error },
    );
  }
}

/**
 * Makes the folder of a state file and takes it into use. What a process that died had in flight is delivered again at
 * once. The folder and all files in it are for this user alone, whatever the umask; what was open to others is shut.
 *
 * @throws StateFolderError when another process uses it or it cannot be used, leads elsewhere or is another user's; DatabaseFileError when the file is none of
 *   Starfold's.
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
      release: () => held.close(),
    };
  } catch (error) {
    held.close();
    throw error;
  }
}
