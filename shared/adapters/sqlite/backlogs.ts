import type { SqliteDatabase } from './database.ts';

/** How much a queue holds of one tenant at most. */
export interface TenantBound {
  readonly messages: number;
  /** Of the bodies, in UTF-8. */
  readonly bytes: number;
}

/** What a queue holds of one tenant, in flight or not. */
export interface Backlog extends TenantBound {
  /** How many more were sent that the queue did not keep. */
  readonly leftOut: number;
}

/** The backlogs of all queues in a database. Each method is one statement that is found by its key, and throws SQLite's error. */
export interface Backlogs {
  of(queue: string, tenant: string): Backlog;
  /** Counts messages that the queue does not keep. */
  leaveOut(queue: string, tenant: string, count: number): void;
  /** How many messages of each tenant a queue has not kept, by tenant; who lost none is not in it. */
  leftOut(queue: string): ReadonlyMap<string, number>;
}

/** Whether a queue has room for one more message of a tenant; each that has is counted for those after it. */
export type Room = (tenant: string, body: string) => boolean;

/** The backlogs in a database that is open. */
export function createBacklogs(database: SqliteDatabase): Backlogs {
  const read = database.prepare(
    'SELECT messages, bytes, left_out FROM backlogs WHERE queue = ? AND tenant = ?',
  );
  const leave = database.prepare(`INSERT INTO backlogs VALUES (?, ?, 0, 0, ?)
    ON CONFLICT (queue, tenant) DO UPDATE SET left_out = left_out + excluded.left_out`);
  const left = database.prepare(
    'SELECT tenant, left_out FROM backlogs WHERE queue = ? AND left_out > 0',
  );
  return {
    of: (queue, tenant) => {
      const row = read.get(queue, tenant);
      return {
        messages: Number(row?.['messages'] ?? 0),
        bytes: Number(row?.['bytes'] ?? 0),
        leftOut: Number(row?.['left_out'] ?? 0),
      };
    },
    leaveOut: (queue, tenant, count) => {
      leave.run(queue, tenant, count);
    },
    leftOut: (queue) =>
      new Map(left.all(queue).map((row) => [String(row['tenant']), Number(row['left_out'])])),
  };
}

/** What room there is in a queue under a bound, as long as nobody else changes the queue: within one transaction. */
export function roomIn(backlogs: Backlogs, queue: string, bound: TenantBound): Room {
  const held = new Map<string, TenantBound>();
  return (tenant, body) => {
    const before = held.get(tenant) ?? backlogs.of(queue, tenant);
    const messages = before.messages + 1;
    const bytes = before.bytes + Buffer.byteLength(body);
    if (messages > bound.messages || bytes > bound.bytes) return false;
    held.set(tenant, { messages, bytes });
    return true;
  };
}
