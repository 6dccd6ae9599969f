import { InputError } from '#local/cli/terminal/cli-error.ts';
import {
  DatabaseFileError,
  openSqliteDatabase,
  type SqliteDatabase,
} from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { SCHEMA_VERSION } from '#shared/adapters/sqlite/schema.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { noState, olderState } from './messages.ts';

/** An open state file. */
export interface StateFile {
  /** Its items, for reading. */
  readonly store: ItemStore;
  close(): void;
}

function openDatabase(file: string, readOnly: boolean): SqliteDatabase {
  try {
    return openSqliteDatabase(file, { readOnly });
  } catch (error) {
    if (!(error instanceof DatabaseFileError)) throw error;
    const { message, problem } = error;
    throw new InputError(problem === 'missing' ? noState(message) : message, { cause: error });
  }
}

/**
 * Opens a state file of `starfold start` for reading, even while that command runs.
 *
 * @throws InputError if the file does not exist, in which case it is not created, or cannot be used
 */
export function openStateFile(file: string): StateFile {
  const database = openDatabase(file, true);
  return { store: createSqliteItemStore(database), close: () => database.close() };
}

/**
 * Opens the database of a state file of `starfold start` for changes, even while that command runs.
 *
 * @throws InputError if the file does not exist, in which case it is not created, has no content, or cannot be used; also if an older
 * release wrote it, which may run: it could not use the file any more
 */
export function openStateDatabase(file: string): SqliteDatabase {
  const reading = openDatabase(file, true);
  const version = reading.prepare('PRAGMA user_version').get()?.['user_version'];
  reading.close();
  if (version !== SCHEMA_VERSION) throw new InputError(olderState(file));
  return openDatabase(file, false);
}
