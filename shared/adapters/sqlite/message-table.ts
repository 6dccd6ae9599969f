import type { SQLOutputValue } from 'node:sqlite';
import { type OutgoingMessage, wholeTenant } from '#shared/ports/message-queue.ts';
import type { SqliteDatabase } from './database.ts';
import { TurnNumbers } from './turn-numbers.ts';

/** A queue of the same file that receives the work which follows from this queue's messages. */
export interface FedQueue {
  readonly name: string;
  /** If a tenant has this many ready groups in that queue, it gets no turn in this one. */
  readonly groups: number;
  /** How many of these groups a turn of the tenant that is in flight counts for: its messages will follow. */
  readonly perTurn: number;
}

/** The options of a queue that its table needs. */
export interface TableOptions {
  readonly name: string;
  /** Whether a hidden message blocks its group. */
  readonly fifo: boolean;
  readonly feeds?: FedQueue;
}

/** How many messages a queue holds. */
export interface MessageCounts {
  /** Neither in flight nor delayed. Messages that wait for their group are included. */
  readonly visible: number;
  /** Received, and neither deleted nor visible again. */
  readonly inFlight: number;
  /** Sent with a delay that has not passed. */
  readonly delayed: number;
}

/** A message to store. */
interface NewMessage extends OutgoingMessage {
  readonly messageId: string;
  readonly senderId: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** The first time at which it can be received, in milliseconds since the epoch; 0 means now. */
  readonly hiddenUntil: number;
}

// A type instead of an interface: a row can only be cast to a type.
/** A message in the table. */
export type MessageRow = {
  readonly sequence: number;
  readonly group_id: string;
  readonly tenant: string;
  readonly message_id: string;
  readonly body: string;
  readonly deduplication_id: string | null;
  readonly sender_id: string;
  readonly sent_at: number;
  readonly receive_count: number;
  readonly uncounted: number;
};

/** One receipt of one message. `sequence` identifies the message, `receiveCount` the receipt. */
export interface Receipt {
  readonly sequence: number;
  readonly receiveCount: number;
}

/**
 * The stored messages of one queue. Every method is one or a few statements. The caller puts those that belong together into a
 * transaction. If a message has no group or tenant, the value is `''`. Times are milliseconds since the epoch. Each method
 * throws SQLite's error.
 */
export interface MessageTable {
  /** Removes the deduplication identifiers whose time has passed. */
  forgetIdentifiers(now: number): void;
  /** Stores the message's deduplication identifier until a time. Returns false if its group already has it. */
  rememberIdentifier(message: OutgoingMessage, until: number): boolean;
  /** Stores the message, and updates the ready groups, and the tenants that have some. */
  add(message: NewMessage): void;
  /** Makes messages visible whose time has passed, and returns their groups. */
  release(now: number): ReadonlySet<string>;
  /** The time at which the next hidden message becomes visible; undefined if none is hidden. */
  nextRelease(): number | undefined;
  /**
   * The tenant, or part of a tenant, whose turn it is: of those with a ready group, the one that was served least recently.
   *
   * @param held tenants that get no turn, and no part of them
   * @param apart tenants or parts that get no turn
   */
  nextTenant(without: {
    readonly held: readonly string[];
    readonly apart: readonly string[];
  }): string | undefined;
  /** Whether a group is ready, also if its tenant is held back. */
  hasReady(): boolean;
  /** Whether so many messages of the tenant are ready, in a FIFO queue so many groups. */
  hasWaiting(tenant: string, count: number): boolean;
  /** Whether the tenant has so many ready groups, and at least one, in the queue that this one feeds. */
  hasFed(tenant: string, count: number): boolean;
  /** Of the tenant's ready groups, the one with the oldest message. */
  nextReadyGroup(tenant: string): string | undefined;
  /** Puts the tenant after all others, and a part of a tenant after all other parts of it. */
  markServed(tenant: string): void;
  /** At most so many visible messages of a group, oldest first, up to the first one that is not taken. No further one is read. */
  visible(
    group: string,
    limit: number,
    isTaken: (row: MessageRow, index: number) => boolean,
  ): readonly MessageRow[];
  /** Counts one more receipt, and hides the message until a time. */
  markReceived(row: MessageRow, until: number): void;
  /** Moves a message to the end of another queue. There it counts as never received. */
  move(row: MessageRow, queue: string): void;
  /**
   * Deletes the message if this is its last receipt and it is hidden beyond `hiddenAfter`. Returns its group, if something else of the
   * group may be ready now.
   */
  remove(receipt: Receipt, hiddenAfter: number): string | undefined;
  /** Hides the message until a time (0: makes it visible) under the conditions of `remove`. Returns its group. */
  hide(
    receipt: Receipt,
    times: { readonly until: number; readonly hiddenAfter: number },
  ): string | undefined;
  /** Like `hide`, but the receipt ends, and does not count. */
  giveBack(
    receipt: Receipt,
    times: { readonly until: number; readonly hiddenAfter: number },
  ): string | undefined;
  /** Deletes all messages of a group, also those in flight. */
  removeGroup(group: string): void;
  /** Whether there is a message of a group, in flight or not. */
  holdsGroup(group: string): boolean;
  /** Updates the ready groups, and the tenants that have some, after the messages of a group have changed. */
  refreshGroup(queue: string, group: string): void;
  /** The same after messages of a group of a FIFO queue were received: it delivers nothing. */
  lockGroup(group: string): void;
  counts(now: number): MessageCounts;
}

function groupOf(row: Record<string, SQLOutputValue> | undefined): string | undefined {
  const group = row?.['group_id'];
  return typeof group === 'string' ? group : undefined;
}

function tenantIn(row: Record<string, SQLOutputValue>): string {
  return String(row['tenant']);
}

function prepareReading(
  database: SqliteDatabase,
  queue: string,
): Pick<MessageTable, 'nextRelease' | 'visible' | 'counts'> {
  const nextRelease = database.prepare(
    'SELECT min(hidden_until) AS time FROM messages WHERE queue = ? AND hidden_until > 0',
  );
  const visible = database.prepare(
    'SELECT * FROM messages WHERE queue = ? AND group_id = ? AND hidden_until = 0 ORDER BY sequence LIMIT ?',
  );
  const counts = database.prepare(`SELECT count(*) AS total,
    count(*) FILTER (WHERE hidden_until > ? AND receive_count > 0) AS inFlight,
    count(*) FILTER (WHERE hidden_until > ? AND receive_count = 0) AS delayed
    FROM messages WHERE queue = ?`);
  return {
    nextRelease: () => {
      const time = nextRelease.get(queue)?.['time'];
      return typeof time === 'number' ? time : undefined;
    },
    visible: (group, limit, isTaken) => {
      const rows: MessageRow[] = [];
      // The columns are those of the schema, and only this file writes the table.
      for (const row of visible.iterate(queue, group, limit) as Iterable<MessageRow>) {
        if (!isTaken(row, rows.length)) break;
        rows.push(row);
      }
      return rows;
    },
    counts: (now) => {
      const row = counts.get(now, now, queue);
      const inFlight = Number(row?.['inFlight']);
      const delayed = Number(row?.['delayed']);
      return { visible: Number(row?.['total']) - inFlight - delayed, inFlight, delayed };
    },
  };
}

/** The tenant of a row of `turns`, whatever part it is. */
const WHOLE =
  "CASE instr(tenant, '~') WHEN 0 THEN tenant ELSE substr(tenant, 1, instr(tenant, '~') - 1) END";

function prepareTurns(
  database: SqliteDatabase,
  { name: queue, fifo, feeds }: TableOptions,
  numbers: TurnNumbers,
): Pick<
  MessageTable,
  'nextTenant' | 'hasReady' | 'hasWaiting' | 'hasFed' | 'nextReadyGroup' | 'markServed'
> {
  // Without another queue, no tenant has too many ready groups.
  const { name: fed, groups } = feeds ?? { name: '', groups: 1 };
  /** Rows to skip, so that a row is left if there are so many. */
  const offset = (count: number): number => Math.max(count, 1) - 1;
  const next =
    database.prepare(`SELECT tenant, served FROM turns WHERE queue = ? AND ready = 1 AND NOT EXISTS
    (SELECT 1 FROM ready_groups WHERE queue = ? AND tenant = turns.tenant LIMIT 1 OFFSET ?)
    AND tenant NOT IN (SELECT value FROM json_each(?))
    AND ${WHOLE} NOT IN (SELECT value FROM json_each(?))
    ORDER BY served, tenant LIMIT 1`);
  const readyTenant = database.prepare('SELECT 1 FROM turns WHERE queue = ? AND ready = 1 LIMIT 1');
  const readyGroups = database.prepare(
    'SELECT 1 FROM ready_groups WHERE queue = ? AND tenant = ? LIMIT 1 OFFSET ?',
  );
  const readyMessages = database.prepare(
    'SELECT 1 FROM messages WHERE queue = ? AND group_id = ? AND hidden_until = 0 LIMIT 1 OFFSET ?',
  );
  const ready = fifo ? readyGroups : readyMessages;
  const nextGroup = database.prepare(`SELECT group_id FROM ready_groups
    WHERE queue = ? AND tenant = ? ORDER BY first_sequence LIMIT 1`);
  const known = database.prepare('SELECT 1 FROM turns WHERE queue = ? AND tenant = ?');
  const serve = database.prepare('UPDATE turns SET served = ? WHERE queue = ? AND tenant = ?');
  return {
    nextTenant: ({ held, apart }) => {
      const lists = [apart, held].map((tenants) => JSON.stringify(tenants)) as [string, string];
      const row = next.get(queue, fed, offset(groups), ...lists);
      if (row === undefined) return undefined;
      numbers.reached(Number(row['served']));
      return tenantIn(row);
    },
    hasReady: () => readyTenant.get(queue) !== undefined,
    hasWaiting: (tenant, count) => ready.get(queue, tenant, offset(count)) !== undefined,
    hasFed: (tenant, count) => readyGroups.get(fed, tenant, offset(count)) !== undefined,
    nextReadyGroup: (tenant) => groupOf(nextGroup.get(queue, tenant)),
    markServed: (tenant) => {
      // A part without further work is forgotten, and takes no number.
      if (known.get(queue, tenant) !== undefined) serve.run(numbers.next(tenant), queue, tenant);
    },
  };
}

/** The groups that are ready, and their tenants. */
interface ReadyGroups extends Pick<MessageTable, 'refreshGroup' | 'lockGroup'> {
  /** Notes a visible message, the last one of its group. A group may have thousands of tenants, and the others stay as they are. */
  noteSent(group: string, tenant: string, sequence: number | bigint): void;
}

/** @param fifo whether a hidden message blocks its group */
function prepareRefreshing(
  database: SqliteDatabase,
  { name: queue, fifo }: TableOptions,
  numbers: TurnNumbers,
): ReadyGroups {
  const unready = database.prepare(
    'DELETE FROM ready_groups WHERE queue = ? AND group_id = ? RETURNING tenant',
  );
  const unlocked = `NOT EXISTS
    (SELECT 1 FROM messages WHERE queue = ? AND group_id = ? AND hidden_until > 0)`;
  const ofGroup = 'messages WHERE queue = ? AND group_id = ? AND hidden_until = 0';
  // Walks from tenant to tenant by the index, because a group may have thousands of messages.
  const ready = database.prepare(`WITH RECURSIVE present (tenant) AS (
      SELECT min(tenant) FROM ${ofGroup} ${fifo ? `AND ${unlocked}` : ''}
      UNION ALL
      SELECT (SELECT min(tenant) FROM ${ofGroup} AND tenant > present.tenant)
      FROM present WHERE present.tenant IS NOT NULL)
    INSERT INTO ready_groups
    SELECT ?, ?, tenant, (SELECT min(sequence) FROM ${ofGroup} AND tenant = present.tenant)
    FROM present WHERE tenant IS NOT NULL
    RETURNING tenant`);
  const enterGroup = database.prepare(`INSERT INTO ready_groups SELECT ?, ?, ?, ?
    WHERE ${fifo ? unlocked : 'true'} ON CONFLICT DO NOTHING`);
  // At each place where the statement has them. Binding by name takes longer.
  const keys = (...key: readonly [queue: string, group: string]) =>
    Array.from({ length: fifo ? 5 : 4 }, () => key).flat();
  const enter = database.prepare(`INSERT INTO turns VALUES (?, ?, ?, 1)
    ON CONFLICT (queue, tenant) DO UPDATE SET ready = 1`);
  const idle = `WHERE queue = ? AND tenant = ? AND NOT EXISTS
    (SELECT 1 FROM ready_groups WHERE queue = turns.queue AND tenant = turns.tenant)`;
  const rest = database.prepare(`UPDATE turns SET ready = 0 ${idle}`);
  const forget = database.prepare(`DELETE FROM turns ${idle}`);
  const isPart = (tenant: string): boolean => wholeTenant(tenant) !== tenant;
  const known = database.prepare('SELECT 1 FROM turns WHERE queue = ? AND tenant = ?');
  const begin = (name: string, tenant: string): void => {
    // A new tenant is first, once. A part is not, because whoever has a tenant can have any number of new parts.
    if (!isPart(tenant)) enter.run(name, tenant, 0);
    else if (known.get(name, tenant) === undefined) enter.run(name, tenant, numbers.next(tenant));
  };
  const end = (name: string, tenant: string): void => {
    (isPart(tenant) ? forget : rest).run(name, tenant);
  };
  const withdraw = (name: string, group: string): ReadonlySet<string> =>
    new Set(unready.all(name, group).map(tenantIn));
  return {
    noteSent: (group, tenant, sequence) => {
      const whereUnlocked = fifo ? [queue, group] : [];
      const { changes } = enterGroup.run(queue, group, tenant, sequence, ...whereUnlocked);
      if (changes === 1) begin(queue, tenant);
    },
    lockGroup: (group) => {
      for (const tenant of withdraw(queue, group)) end(queue, tenant);
    },
    refreshGroup: (name, group) => {
      const before = withdraw(name, group);
      const after = new Set(ready.all(...keys(name, group)).map(tenantIn));
      for (const tenant of after) if (!before.has(tenant)) begin(name, tenant);
      for (const tenant of before) if (!after.has(tenant)) end(name, tenant);
    },
  };
}

function prepareSending(
  database: SqliteDatabase,
  { name: queue, fifo }: TableOptions,
  { noteSent, lockGroup }: Pick<ReadyGroups, 'noteSent' | 'lockGroup'>,
): Pick<MessageTable, 'forgetIdentifiers' | 'rememberIdentifier' | 'add' | 'move'> {
  const forget = database.prepare('DELETE FROM deduplications WHERE queue = ? AND ends_at <= ?');
  const remember = database.prepare(`INSERT INTO deduplications VALUES (?, ?, ?, ?)
    ON CONFLICT (queue, group_id, deduplication_id) DO NOTHING`);
  const add = database.prepare(`INSERT INTO messages (queue, group_id, message_id, body,
    deduplication_id, sender_id, sent_at, hidden_until, receive_count, tenant)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`);
  const drop = database.prepare('DELETE FROM messages WHERE sequence = ?');
  return {
    forgetIdentifiers: (now) => {
      forget.run(queue, now);
    },
    rememberIdentifier: ({ group = '', deduplicationId = '' }, until) =>
      remember.run(queue, group, deduplicationId, until).changes === 1,
    add: ({ group = '', messageId, body, deduplicationId = null, ...message }) => {
      const { senderId, sentAt, hiddenUntil, tenant = '' } = message;
      const what = [queue, group, messageId, body, deduplicationId];
      const { lastInsertRowid } = add.run(...what, senderId, sentAt, hiddenUntil, tenant);
      if (hiddenUntil === 0) noteSent(group, tenant, lastInsertRowid);
      else if (fifo) lockGroup(group);
    },
    move: (row, target) => {
      const { group_id, message_id, body, deduplication_id, sender_id, sent_at, tenant } = row;
      drop.run(row.sequence);
      add.run(target, group_id, message_id, body, deduplication_id, sender_id, sent_at, 0, tenant);
    },
  };
}

function prepareReceiving(
  database: SqliteDatabase,
  { name: queue, fifo }: TableOptions,
): Pick<
  MessageTable,
  'release' | 'markReceived' | 'remove' | 'removeGroup' | 'holdsGroup' | 'hide' | 'giveBack'
> {
  const release = database.prepare(`UPDATE messages SET hidden_until = 0
    WHERE queue = ? AND hidden_until > 0 AND hidden_until <= ? RETURNING group_id`);
  const receive = database.prepare(
    'UPDATE messages SET hidden_until = ?, receive_count = receive_count + 1 WHERE sequence = ?',
  );
  const held = 'WHERE sequence = ? AND receive_count = ? AND queue = ? AND hidden_until > ?';
  // In a standard queue, a message in flight keeps nothing from being delivered.
  const affected = fifo ? 'group_id' : 'iif(hidden_until = 0, group_id, NULL) AS group_id';
  const remove = database.prepare(`DELETE FROM messages ${held} RETURNING ${affected}`);
  const holdsGroup = database.prepare(
    'SELECT 1 FROM messages WHERE queue = ? AND group_id = ? LIMIT 1',
  );
  const removeGroup = database.prepare('DELETE FROM messages WHERE queue = ? AND group_id = ?');
  const hide = database.prepare(`UPDATE messages SET hidden_until = ? ${held} RETURNING group_id`);
  // It takes a number of a receipt, so that the handle is outdated. Neither that one nor the receipt counts.
  const giveBack = database.prepare(`UPDATE messages SET hidden_until = ?,
    receive_count = receive_count + 1, uncounted = uncounted + 2 ${held} RETURNING group_id`);
  return {
    release: (now) => new Set(release.all(queue, now).map((row) => String(row['group_id']))),
    markReceived: (row, until) => {
      receive.run(until, row.sequence);
    },
    remove: ({ sequence, receiveCount }, hiddenAfter) =>
      groupOf(remove.get(sequence, receiveCount, queue, hiddenAfter)),
    removeGroup: (group) => {
      removeGroup.run(queue, group);
    },
    holdsGroup: (group) => holdsGroup.get(queue, group) !== undefined,
    hide: ({ sequence, receiveCount }, { until, hiddenAfter }) =>
      groupOf(hide.get(until, sequence, receiveCount, queue, hiddenAfter)),
    giveBack: ({ sequence, receiveCount }, { until, hiddenAfter }) =>
      groupOf(giveBack.get(until, sequence, receiveCount, queue, hiddenAfter)),
  };
}

/** Creates the table of the stored messages of a queue in an open database. */
export function createMessageTable(database: SqliteDatabase, options: TableOptions): MessageTable {
  const { name: queue } = options;
  const numbers = new TurnNumbers(database, queue);
  const { noteSent, ...refreshing } = prepareRefreshing(database, options, numbers);
  const { lockGroup } = refreshing;
  return {
    ...prepareReading(database, queue),
    ...prepareTurns(database, options, numbers),
    ...refreshing,
    ...prepareSending(database, options, { noteSent, lockGroup }),
    ...prepareReceiving(database, options),
  };
}
