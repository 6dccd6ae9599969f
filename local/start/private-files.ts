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
import { openFolder, othersFile, symbolicLink } from './state-messages.ts';

/** The state file or its folder cannot be used. The message names it and the remedy. */
export class StateFolderError extends AppError {
  override readonly name = 'StateFolderError';
  readonly code = 'state-folder';
  readonly retryable = false;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** The permissions of the group and of all others. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

function found(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** If the system has no owners, every file belongs to its user. */
function isForeign({ uid }: Stats): boolean {
  return process.geteuid !== undefined && uid !== process.geteuid();
}

/** Rejects links, and files that another user could replace at any time. */
function checkOwn(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw new StateFolderError(symbolicLink(path));
  if (isForeign(stats)) throw new StateFolderError(othersFile(path, stats.uid));
}

/** Creates the folders level by level. If a folder cannot be created (below /proc), Node's own recursion never ends. */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, FOLDER_MODE);
}

/**
 * Creates a folder that only its user can use. If the folder exists and others can read it, their access is removed if
 * it contains only entries for which `own` is true. Otherwise, the folder is also used for other things, and it is
 * enough that others cannot write to it.
 *
 * @param own whether an entry of the folder, by name, belongs to the state
 * @throws StateFolderError for a symbolic link, for the folder of another user, and for a folder to which others may
 *   write
 * @throws the system's error if it cannot be created
 */
export function makePrivateFolder(folder: string, own: (name: string) => boolean): void {
  const before = found(folder);
  if (before !== undefined) checkOwn(folder, before);
  makeFolders(folder);
  if (before === undefined || (before.mode & OTHERS) === 0) return;
  if (readdirSync(folder).every(own)) chmodSync(folder, FOLDER_MODE);
  else if ((before.mode & OTHERS_WRITE) !== 0) throw new StateFolderError(openFolder(folder));
}

/** Restricts an existing file to its user. */
function shut(path: string, stats: Stats): void {
  checkOwn(path, stats);
  if (stats.isFile() && (stats.mode & OTHERS) !== 0) chmodSync(path, FILE_MODE);
}

/**
 * Restricts files to their user if they exist.
 *
 * @throws StateFolderError for a symbolic link and for the file of another user
 */
export function shutFiles(paths: readonly string[]): void {
  for (const path of paths) {
    const stats = found(path);
    if (stats !== undefined) shut(path, stats);
  }
}

/**
 * Creates an empty file that only its user can use, regardless of the umask. Neither a file nor a link may exist there.
 */
function createFile(path: string): number {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_CREAT | O_EXCL | O_WRONLY | (O_NOFOLLOW ?? 0), FILE_MODE);
  fchmodSync(descriptor, FILE_MODE);
  return descriptor;
}

/**
 * Creates a file that only its user can use. An existing file keeps its content. The files that SQLite creates beside
 * it have the same mode.
 *
 * @throws StateFolderError for a symbolic link and for the file of another user
 * @throws the system's error if it cannot be created
 */
export function makePrivateFile(path: string): void {
  const stats = found(path);
  if (stats === undefined) closeSync(createFile(path));
  else shut(path, stats);
}

/**
 * Atomically replaces a file by one with this text. No reader sees a part of the text, and the text is written to no
 * other place, regardless of concurrent changes.
 *
 * @throws StateFolderError for a symbolic link and for the file of another user
 * @throws the system's error if it cannot be created
 */
export function writePrivateFile(path: string, text: string): void {
  shutFiles([path]);
  const temporary = `${path}.new`;
  // A file that a killed process or another user has left.
  rmSync(temporary, { force: true });
  const descriptor = createFile(temporary);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}
