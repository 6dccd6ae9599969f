import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDatabaseFailure } from './database.ts';

/** Frames in the write-ahead log, each a page of 4 KB, after which a checkpoint makes the log begin again. */
const LONG_LOG = 1_024;
/**
 * After so many milliseconds, SQLite no longer waits for those who read while the log is about to begin again. A writer waits for as
 * long, and for SQLite's last step of 15 milliseconds.
 */
const BUSY_TIMEOUT_MS = 20;
/** A writer may wait while so many frames are copied: on a fast disk, for some five milliseconds. */
const FEW_FRAMES = 500;
/** If more frames than that are added in each of so many passes, the disk is too slow, or the writer too fast. */
const MOST_PASSES = 5;

/** Copies the write-ahead log of a database file into the file. */
export interface Checkpoints {
  /**
   * Copies what was committed since the last call, as far as no reader stands in the way. Writers wait only for the end of a
   * checkpoint of a long log, when all but the last few frames are on the disk. If they add frames faster than the disk takes
   * them, they make a checkpoint themselves in the end (`database.ts`). A disk that is full or fails is reported to those who
   * write, so nothing is thrown.
   */
  copy(): void;
  /** Call it after all other connections of the process have been closed. */
  close(): void;
}

/**
 * Opens checkpoints of a database file that is open elsewhere. Use them in a thread of their own.
 *
 * @throws SQLite's error, or that of the file system, if the file cannot be opened for writing
 */
export function openCheckpoints(file: string): Checkpoints {
  const connection = new DatabaseSync(file);
  connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA synchronous = NORMAL`);
  // The close of any descriptor of the file takes away the locks of the whole process (sqlite.org/howtocorrupt.html, 2.2).
  const descriptor = openSync(file, 'r+');
  // It changes with each commit of another connection.
  const version = connection.prepare('PRAGMA data_version');
  const passive = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const full = connection.prepare('PRAGMA wal_checkpoint(FULL)');
  let copied: unknown;

  // SQLite syncs the file itself when the whole log has been copied, and writers wait for it in a full checkpoint. After this,
  // there is little left to sync.
  const copyAndSync = (): number => {
    const frames = Number(passive.get()?.['log']);
    fdatasyncSync(descriptor);
    return frames;
  };

  /**
   * Makes a log of so many frames, which have been copied, begin again, unless a writer adds frames too fast or a reader needs them.
   * Returns whether it does.
   */
  const beginsAgain = (length: number): boolean => {
    let before = length;
    for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
      // Those that were added while the last ones were copied.
      const frames = copyAndSync();
      // A writer found everything copied.
      if (frames < before) return true;
      if (frames - before <= FEW_FRAMES) return full.get()?.['busy'] === 0;
      before = frames;
    }
    return false;
  };

  const copyAll = (): void => {
    const written = version.get()?.['data_version'];
    if (written === copied) return;
    const frames = copyAndSync();
    if (frames <= LONG_LOG || beginsAgain(frames)) copied = written;
  };

  return {
    copy: () => {
      try {
        copyAll();
      } catch (error) {
        if (!isDatabaseFailure(error) && !isFileFailure(error)) throw error;
      }
    },
    close: () => {
      connection.close();
      closeSync(descriptor);
    },
  };
}

function isFileFailure(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
