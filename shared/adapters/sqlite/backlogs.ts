import type { SqliteDatabase } from './database.ts';

/** The maximum that a queue holds for one tenant. */
export interface TenantBound {
  readonly messages: number;
  /** The size of the bodies in UTF-8. */
  readonly bytes: number;
}

/** What a queue holds for one tenant, in flight or not. */
export interface Backlog extends TenantBound {
  /** The number of messages that were sent but that the queue did not keep. */
  readonly leftOut: number;
}

/**
 * The backlogs of all queues in a database. Each method is one statement that finds its row by key. Each throws SQLite's error.
 */
export interface Backlogs {
  of(queue: string, tenant: string): Backlog;
  /** Counts messages that the queue does not keep. */
  leaveOut(queue: string, tenant: string, count: number): void;
  /** The number of messages that a queue has not kept, by tenant. Tenants without such messages are left out. */
  leftOut(queue: string): ReadonlyMap<string, number>;
}

/** Whether a queue has room for one more message of a tenant. If it has, the message counts for later calls. */
export type Room = (tenant: string, body: string) => boolean;

/** Creates the backlogs in an open database. */
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

/** Returns the room in a queue under a bound, as long as no other process changes the queue: within one transaction. */
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
