import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#shared/errors.ts';

/** The state file, or its folder, cannot be used. The message names it and what to do. */
export class StateFolderError extends AppError {
  override readonly name = 'StateFolderError';
  readonly code = 'state-folder';
  readonly retryable = false;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** What the group and all others may do. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const ELSEWHERE = 'name another state file with --state';

function found(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Where the system knows no owners, everything is its user's. */
function isForeign({ uid }: Stats): boolean {
  return process.geteuid !== undefined && uid !== process.geteuid();
}

/** Refuses what leads elsewhere, or what another user may replace at any time. */
function checkOwn(path: string, stats: Stats): void {
  if (stats.isSymbolicLink())
    throw new StateFolderError(
      `${path} is a symbolic link, and what leads elsewhere is not written: remove it, or ${ELSEWHERE}`,
    );
  if (isForeign(stats))
    throw new StateFolderError(
      `${path} belongs to another user (uid ${stats.uid}), who could read and change what is kept there: remove it, or ${ELSEWHERE}`,
    );
}

/** Level by level: where a folder cannot be made (below /proc), Node's own recursion never ends. */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, FOLDER_MODE);
}

/**
 * Makes a folder that its user alone can use. One that is there and that others may read is shut to them, if nothing is
 * in it but `own`: else it is for more than the state, and it is enough that others cannot write there.
 *
 * @param own whether an entry of the folder, by name, is the state's
 * @throws StateFolderError for a symbolic link, for the folder of another user, and for one that others may write.
 * @throws the system's error when it cannot be made.
 */
export function makePrivateFolder(folder: string, own: (name: string) => boolean): void {
  const before = found(folder);
  if (before !== undefined) checkOwn(folder, before);
  makeFolders(folder);
  if (before === undefined || (before.mode & OTHERS) === 0) return;
  if (readdirSync(folder).every(own)) chmodSync(folder, FOLDER_MODE);
  else if ((before.mode & OTHERS_WRITE) !== 0)
    throw new StateFolderError(
      `other users may write in the folder ${folder}, in which more than the state is: use chmod go-w, or name a state file in a folder of its own with --state`,
    );
}

/** Makes an existing file its user's alone. */
function shut(path: string, stats: Stats): void {
  checkOwn(path, stats);
  if (stats.isFile() && (stats.mode & OTHERS) !== 0) chmodSync(path, FILE_MODE);
}

/**
 * Shuts files to others where they are there.
 *
 * @throws StateFolderError for a symbolic link and for the file of another user.
 */
export function shutFiles(paths: readonly string[]): void {
  for (const path of paths) {
    const stats = found(path);
    if (stats !== undefined) shut(path, stats);
  }
}

/** Makes an empty file that its user alone can use, whatever the umask; no file may be there, nor a link. */
function createFile(path: string): number {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0), FILE_MODE);
  fchmodSync(descriptor, FILE_MODE);
  return descriptor;
}

/**
 * Lets a file be there that its user alone can use; one that is there keeps its content. What SQLite puts beside such a
 * file has the same mode.
 *
 * @throws StateFolderError for a symbolic link and for the file of another user.
 * @throws the system's error when it cannot be made.
 */
export function makePrivateFile(path: string): void {
  const stats = found(path);
  if (stats === undefined) closeSync(createFile(path));
  else shut(path, stats);
}

/**
 * Puts a file with this text in the place of what is there, at once: nobody sees half of it, and it is written nowhere
 * else, whatever comes in between.
 *
 * @throws StateFolderError for a symbolic link and for the file of another user.
 * @throws the system's error when it cannot be made.
 */
export function writePrivateFile(path: string, text: string): void {
  shutFiles([path]);
  const temporary = `${path}.new`;
  // What a process left there that died, or what somebody else has put there.
  rmSync(temporary, { force: true });
  const descriptor = createFile(temporary);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}
