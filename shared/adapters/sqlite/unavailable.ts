import { StoreUnavailableError } from '#shared/errors.ts';
import { failureText, isDatabaseFailure, type SqliteDatabase } from './database.ts';

/** Runs one operation of a store, and translates the errors of SQLite. */
export type StoreOperation = <T>(
  operation: string,
  signal: AbortSignal | undefined,
  body: () => T | Promise<T>,
) => Promise<T>;

/**
 * Creates the operations of a store in a database.
 *
 * @returns a function that throws StoreUnavailableError if SQLite fails or the signal is aborted
 */
export function storeOperations(database: Pick<SqliteDatabase, 'file'>): StoreOperation {
  return async (operation, signal, body) => {
    if (signal?.aborted) throw new StoreUnavailableError(operation, { cause: signal.reason });
    try {
      return await body();
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error;
      const reason = failureText(database.file, error);
      throw new StoreUnavailableError(`${operation}: ${reason}`, { cause: error });
    }
  };
}
