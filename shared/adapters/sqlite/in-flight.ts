import type { SqliteDatabase } from './database.ts';

/** A time in the past: the next receive makes the message visible. */
const OVER = 1;

/**
 * Makes every message visible that was received and not acknowledged, in all queues. Only call this if the process is the only
 * one on the file. The messages that its predecessor held when it died are then delivered at once instead of after the
 * visibility timeout. The marks of attempts in isolation are removed: aggregation runs in threads that end without their
 * process, so these attempts did not end the process.
 *
 * @param mark the sort key of such a mark
 * @throws SQLite's error.
 */
export function returnInFlight(database: SqliteDatabase, mark: string): void {
  database
    .prepare('UPDATE messages SET hidden_until = ? WHERE hidden_until > 0 AND receive_count > 0')
    .run(OVER);
  database.prepare('DELETE FROM items WHERE sk = ?').run(mark);
}
