// Why the state file, its folder or its lock cannot be used.

const ELSEWHERE = 'name another state file with --state';

/** The reason why a file cannot be created, by the code of the error. */
export const FILE_REASONS: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'a file is in the way'],
  ['ENOTDIR', 'a file is in the way'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission denied'],
  ['ENOSPC', 'the disk is full'],
]);

/** `reason` is one of {@link FILE_REASONS}, or a code. */
export function unusableFolder(folder: string, reason: string): string {
  return `the folder ${folder} cannot be used (${reason}): ${ELSEWHERE}`;
}

/** Another process has the lock. */
export function stateInUse(file: string): string {
  return `another starfold start uses the state ${file}: end it first, or ${ELSEWHERE}`;
}

/** Nobody has the lock, but it cannot be had. */
export function cannotLock(file: string, error: string): string {
  return `cannot lock the state ${file} (${error}): check the permissions of its folder, or ${ELSEWHERE}`;
}

/** A file or folder that could be exchanged. */
export function symbolicLink(path: string): string {
  return `${path} is a symbolic link, which is not followed: remove it, or ${ELSEWHERE}`;
}

/** A file or folder. */
export function othersFile(path: string, uid: number): string {
  return `${path} belongs to another user (uid ${uid}), who could read and change its content: remove it, or ${ELSEWHERE}`;
}

/** A folder that is used for other things, too. */
export function openFolder(folder: string): string {
  return `other users may write in the folder ${folder}, which contains more than the state: use chmod go-w, or name a state file in a folder of its own with --state`;
}
