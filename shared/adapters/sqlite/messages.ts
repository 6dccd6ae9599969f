// The sentences about a database file: why it cannot be opened, and why an open one fails.

/** Why a file cannot be used, and the remedy. */
export const FILE_PROBLEMS = {
  'folder-missing': 'its folder does not exist; create the folder, or name another file',
  'not-a-database':
    'it is not a SQLite database, or it is damaged; move it away, or name another file',
  foreign: 'it is the database of another program; name another file',
  'newer-schema':
    'a newer Starfold wrote it; use that version of Starfold, or name another file to start with an empty state',
  'disk-full': 'its disk is full; make room on the disk, or name another file',
  locked: 'another process has locked it; stop that process, or name another file',
  'cannot-open':
    'it cannot be opened for writing; check its permissions and the free space, or name another file',
  missing: 'there is no such file',
  empty: 'nothing has been stored in it yet',
  'cannot-read': 'it cannot be read; check its permissions and those of its folder',
} as const;

export function unusableFile(file: string, problem: keyof typeof FILE_PROBLEMS): string {
  return `cannot use the database ${file}: ${FILE_PROBLEMS[problem]}`;
}

/** An open database on a full disk. */
export function diskFull(file: string): string {
  return `the disk of ${file} is full: make room on it`;
}

/** An open database on a disk that fails in another way. `fault` is SQLite's. */
export function diskFails(file: string, fault: string): string {
  return `${file}: ${fault}: check that its disk works and has free space`;
}
