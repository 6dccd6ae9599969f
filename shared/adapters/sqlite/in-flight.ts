import type { SqliteDatabase } from './database.ts';

/** Long over: whoever receives next makes the message visible. */
const OVER = 1;

/**
 * Makes every message visible that was received and not acknowledged, in all queues: for a process that knows itself the
 * only one on the file, so that what its predecessor held when it died is delivered at once and not after the visibility
 * timeout. The marks of what was being tried alone go: aggregation runs in threads that end without their process, so the
 * process did not end because of them.
 *
 * @param mark sort key of such a mark
 * @throws SQLite's error.
 */
export function returnInFlight(database: SqliteDatabase, mark: string): void {
  database
    .prepare('UPDATE messages SET hidden_until = ? WHERE hidden_until > 0 AND receive_count > 0')
    .run(OVER);
  database.prepare('DELETE FROM items WHERE sk = ?').run(mark);
}
