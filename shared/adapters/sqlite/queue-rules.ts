import { randomUUID } from 'node:crypto';
import { Debts } from '#shared/debts.ts';
import { QueueFullError } from '#shared/errors.ts';
import {
  changingTenant,
  type OutgoingMessage,
  type ReceivedMessage,
  wholeTenant,
} from '#shared/ports/message-queue.ts';
import { type Backlogs, roomIn, type TenantBound } from './backlogs.ts';
import { GroupRests } from './group-rests.ts';
import { LowPriorities } from './low-priority.ts';
import type { MessageRow, MessageTable, Receipt } from './message-table.ts';
import { TenantsInFlight } from './tenants-in-flight.ts';
import { afterOthers, heldBack, rateTime, type Turn, type TurnOptions, turnsIn } from './turns.ts';

/** Messages of one group that make a piece of work together: many of them take hardly longer than one. */
export interface JoinedMessages {
  /** The maximum number of messages of a group in one receive, and of bytes of their bodies. */
  readonly max: number;
  readonly bytes: number;
  /** Whether a message with this body joins those before it. */
  readonly joins: (body: string) => boolean;
}

/** Options of a queue in a database file. */
export interface SqliteQueueOptions extends TurnOptions {
  readonly name: string;
  readonly fifo: boolean;
  /** Greater than 0. */
  readonly visibilityTimeoutSeconds: number;
  /** After this many receipts, a message moves to the dead-letter queue, if there is one. */
  readonly maxReceiveCount: number;
  /** The name of a queue in the same database. It is FIFO if and only if this queue is. */
  readonly deadLetterQueue?: string;
  /**
   * What the dead-letter queue keeps for a tenant. If there is no room for a message, the message stays here and is delivered
   * again.
   */
  readonly deadLetterKeeps?: TenantBound;
  /**
   * The maximum that waits here for a tenant, for messages of other senders (`sendAs`). Beyond it, they have to retry. It must
   * be more than one sender sends at once; otherwise such a request is never accepted. Messages of this process itself, such as
   * those that it redrives, are always accepted.
   */
  readonly accepts?: TenantBound;
  /**
   * The maximum that is kept here for a tenant. Messages beyond it are counted and not kept. The oldest messages stay: they
   * show how the problem began, and no sender can displace them.
   */
  readonly keeps?: TenantBound;
  /**
   * Which messages a receive of a FIFO queue takes beyond its maximum, of a group that has its turn. SQS has no such option. Default:
   * none.
   */
  readonly joined?: JoinedMessages;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Default: random UUIDs. */
  readonly createMessageId?: () => string;
  /** The sender of the messages sent here, as receivers see it. Default: `local`. */
  readonly senderId?: string;
}

/** The rules of SQS for the stored messages of one queue. The caller runs each function in one transaction. */
export interface QueueRules {
  /**
   * @param senderId default: the queue's own sender, which is never rejected
   * @returns the error if none of the messages is accepted; if it were thrown in the transaction, the calls of others that
   * share the transaction would start again
   */
  send(messages: readonly OutgoingMessage[], senderId?: string): QueueFullError | undefined;
  /** Whether a tenant has a turn now. Only reads, and needs no transaction. */
  hasTurn(): boolean;
  /** Returns up to `max` messages, and whether other messages have moved to the dead-letter queue. */
  receive(max: number): { readonly messages: readonly ReceivedMessage[]; readonly moved: boolean };
  delete(receiptHandles: readonly string[]): void;
  changeVisibility(receiptHandles: readonly string[], seconds: number): void;
  /** Like `changeVisibility`, and the receipts do not count. */
  giveBack(receiptHandles: readonly string[], seconds: number): void;
  /** Deletes all messages of a group. The receipts of those in flight end. */
  discardGroup(group: string): void;
  /** Adds to what a tenant has taken. Needs no transaction. */
  charge(tenant: string, bytes: number): void;
}

const MS_PER_SECOND = 1_000;
const DEDUPLICATION_WINDOW_SECONDS = 5 * 60;
const RECEIPT_HANDLE = /^(\d{1,15})\.([1-9]\d{0,14})$/;

function receiptHandle(receipt: Receipt): string {
  return `${receipt.sequence}.${receipt.receiveCount}`;
}

function parseReceiptHandle(handle: string): Receipt | undefined {
  const match = RECEIPT_HANDLE.exec(handle);
  return match ? { sequence: Number(match[1]), receiveCount: Number(match[2]) } : undefined;
}

/** The receipts so far that count. */
function countedReceipts({ receive_count, uncounted }: MessageRow): number {
  return receive_count - uncounted;
}

function received(row: MessageRow): ReceivedMessage {
  // The number of every receipt, so that no two of a message have the same handle.
  const handle = { sequence: row.sequence, receiveCount: row.receive_count + 1 };
  return {
    messageId: row.message_id,
    receiptHandle: receiptHandle(handle),
    body: row.body,
    ...(row.group_id === '' ? {} : { group: row.group_id }),
    ...(row.deduplication_id === null ? {} : { deduplicationId: row.deduplication_id }),
    senderId: row.sender_id,
    receiveCount: countedReceipts(row) + 1,
    sentAt: row.sent_at,
  };
}

function after(now: number, seconds: number): number {
  return Math.round(now + seconds * MS_PER_SECOND);
}

/** What the rules of one queue use. */
interface Context {
  readonly table: MessageTable;
  readonly backlogs: Backlogs;
  readonly inFlight: TenantsInFlight;
  /** What messages have cost, as their receiver says. */
  readonly costs: Debts | undefined;
  /** Received messages of the parts of tenants. */
  readonly parts: Debts | undefined;
  readonly debts: readonly Debts[];
  readonly priorities: LowPriorities | undefined;
  readonly rests: GroupRests;
  readonly options: SqliteQueueOptions;
  /** Updates the ready groups of a queue. */
  readonly refresh: (queue: string, groups: Iterable<string>) => void;
}

/** The tenant of a message. In a standard queue, the group is the tenant. */
function tenantOf({ group, tenant }: OutgoingMessage, fifo: boolean): string {
  return (fifo ? tenant : group) ?? '';
}

/** Returns the error if there is no room for the messages of another sender. */
function fullness(
  { backlogs, options }: Context,
  messages: readonly OutgoingMessage[],
): QueueFullError | undefined {
  const { name, fifo, accepts } = options;
  if (accepts === undefined) return undefined;
  const hasRoom = roomIn(backlogs, name, accepts);
  const refused = messages.find((message) => !hasRoom(tenantOf(message, fifo), message.body));
  if (refused === undefined) return undefined;
  const tenant = tenantOf(refused, fifo);
  return new QueueFullError(tenant, backlogs.of(name, tenant), accepts);
}

/** Returns the messages that the queue keeps, and counts the others. */
function keptOf(
  { backlogs, options }: Context,
  messages: readonly OutgoingMessage[],
): readonly OutgoingMessage[] {
  const { name, fifo, keeps } = options;
  if (keeps === undefined) return messages;
  const hasRoom = roomIn(backlogs, name, keeps);
  return messages.filter((message) => {
    const isKept = hasRoom(tenantOf(message, fifo), message.body);
    if (!isKept) backlogs.leaveOut(name, tenantOf(message, fifo), 1);
    return isKept;
  });
}

/** Returns the messages that are no duplicates. Only messages of FIFO queues have deduplication identifiers. */
function freshOf(
  { table, options }: Context,
  messages: readonly OutgoingMessage[],
  now: number,
): readonly OutgoingMessage[] {
  if (!options.fifo) return messages;
  const identifierEnd = after(now, DEDUPLICATION_WINDOW_SECONDS);
  table.forgetIdentifiers(now);
  return messages.filter(
    (message) =>
      message.deduplicationId === undefined || table.rememberIdentifier(message, identifierEnd),
  );
}

function sender(context: Context): QueueRules['send'] {
  const { table, rests, options } = context;
  const { fifo, clock, senderId: ownId = 'local', createMessageId = randomUUID } = options;
  return (messages, senderId) => {
    const full = senderId === undefined ? undefined : fullness(context, messages);
    if (full !== undefined) return full;
    const now = clock();
    const fresh = freshOf(context, keptOf(context, messages), now);
    for (const message of fresh) {
      const { delaySeconds = 0 } = message;
      const hiddenUntil = delaySeconds > 0 ? after(now, delaySeconds) : rests.endOf(message, now);
      const tenant = tenantOf(message, fifo);
      const messageId = createMessageId();
      const from = senderId ?? ownId;
      table.add({ ...message, tenant, messageId, senderId: from, sentAt: now, hiddenUntil });
    }
    return undefined;
  };
}

/** Moves a message that was received too often to the dead-letter queue, if the dead-letter queue has room. */
function mover({ table, backlogs, options, refresh }: Context): (row: MessageRow) => boolean {
  const { maxReceiveCount, deadLetterQueue, deadLetterKeeps } = options;
  return (row) => {
    if (deadLetterQueue === undefined || countedReceipts(row) < maxReceiveCount) return false;
    const { tenant, body } = row;
    if (deadLetterKeeps && !roomIn(backlogs, deadLetterQueue, deadLetterKeeps)(tenant, body))
      return false;
    table.move(row, deadLetterQueue);
    refresh(deadLetterQueue, [row.group_id]);
    return true;
  };
}

/** The maximum number of messages of a group in a receive of so many. */
function mostOfGroup({ fifo, joined }: SqliteQueueOptions, max: number): number {
  return fifo && joined !== undefined ? Math.max(max, joined.max) : max;
}

/** Decides whether a receive takes a message of a group, by its index: so many, and those that join them. */
function takes(
  { joined }: SqliteQueueOptions,
  max: number,
): (row: MessageRow, index: number) => boolean {
  let bytes = 0;
  return ({ body }, index) => {
    bytes += Buffer.byteLength(body);
    if (index < max) return true;
    return joined !== undefined && bytes <= joined.bytes && joined.joins(body);
  };
}

function receiver(context: Context): QueueRules['receive'] {
  const { table, inFlight, parts, priorities, rests, options, refresh } = context;
  const { name, fifo, clock, visibilityTimeoutSeconds } = options;
  const moveIfDead = mover(context);
  const afterReceipt = (group: string): void =>
    fifo ? table.lockGroup(group) : table.refreshGroup(name, group);
  /** Adds messages of the group whose turn it is. Returns whether others of the group have moved. */
  const take = ({ tenant, group }: Turn, messages: ReceivedMessage[], max: number): boolean => {
    const at = clock();
    const until = after(at, visibilityTimeoutSeconds);
    const taken: MessageRow[] = [];
    const isTaken = takes(options, max);
    const most = mostOfGroup(options, max);
    let moved = false;
    // Repeated if some were dead: the group is locked afterwards, so this is its only turn.
    for (let isDone = false; !isDone; ) {
      const { length } = taken;
      const rows = table.visible(group, most - length, (row, index) =>
        isTaken(row, length + index),
      );
      const live = rows.filter((row) => !moveIfDead(row));
      for (const row of live) table.markReceived(row, until);
      taken.push(...live);
      isDone = live.length === rows.length;
      moved ||= !isDone;
    }
    messages.push(...taken.map(received));
    const sequences = taken.map(({ sequence }) => sequence);
    inFlight.begin({ queue: name, tenant: changingTenant(tenant) }, sequences, { at, until });
    priorities?.took(tenant, new Set(taken.map((row) => row.tenant)), at);
    const whole = wholeTenant(tenant);
    if (whole !== tenant) parts?.add(whole, Math.min(taken.length, max), rateTime(options));
    rests.received(group, at);
    return moved;
  };
  return (max) => {
    refresh(name, table.release(clock()));
    const messages: ReceivedMessage[] = [];
    const next = turnsIn(context, max);
    let moved = false;
    for (let turn = next(); turn !== undefined; turn = messages.length < max ? next() : undefined) {
      // In a FIFO queue, one group is one piece of work. In a standard queue, one message is.
      moved = take(turn, messages, fifo ? max - messages.length : 1) || moved;
      afterReceipt(turn.group);
      table.markServed(turn.tenant);
    }
    return { messages, moved };
  };
}

function changer({ options, inFlight, refresh }: Context) {
  return (
    receiptHandles: readonly string[],
    apply: (receipt: Receipt) => string | undefined,
  ): void => {
    const groups = receiptHandles.map((handle) => {
      const receipt = parseReceiptHandle(handle);
      if (receipt === undefined) return undefined;
      inFlight.end(receipt.sequence, options.clock());
      return apply(receipt);
    });
    refresh(options.name, new Set(groups.filter((group) => group !== undefined)));
  };
}

/**
 * Creates the rules of a queue on its stored messages.
 *
 * @throws RangeError if the visibility timeout is not greater than 0.
 */
export function createQueueRules(
  table: MessageTable,
  backlogs: Backlogs,
  options: SqliteQueueOptions,
): QueueRules {
  const { name, fifo, clock, visibilityTimeoutSeconds } = options;
  if (!(visibilityTimeoutSeconds > 0))
    throw new RangeError(`queue ${name}: the visibility timeout must be greater than 0`);
  const refresh: Context['refresh'] = (queue, groups) => {
    for (const group of groups) table.refreshGroup(queue, group);
  };
  const { inFlight = new TenantsInFlight() } = options;
  const priorities = options.lowPriority && new LowPriorities(options.lowPriority, inFlight);
  const costs = options.cost && new Debts(options.cost);
  const parts = options.parts && new Debts(options.parts);
  const debts = [costs, parts].filter((some) => some !== undefined);
  const rests = new GroupRests();
  const rates = { costs, parts, debts, priorities };
  const context = { table, backlogs, inFlight, ...rates, rests, options, refresh };
  const change = changer(context);
  return {
    send: sender(context),
    hasTurn: () =>
      table.hasReady() &&
      table.nextTenant({ held: heldBack(context), apart: afterOthers(context) }) !== undefined,
    receive: receiver(context),
    delete: (receiptHandles) => {
      // As in SQS, a receipt of a FIFO queue ends with its visibility timeout, and a receipt of a standard queue with the next
      // receipt.
      const hiddenAfter = fifo ? clock() : -1;
      change(receiptHandles, (receipt) => table.remove(receipt, hiddenAfter));
    },
    changeVisibility: (receiptHandles, seconds) => {
      const now = clock();
      const until = seconds > 0 ? after(now, seconds) : 0;
      change(receiptHandles, (receipt) => table.hide(receipt, { until, hiddenAfter: now }));
    },
    giveBack: (receiptHandles, seconds) => {
      const now = clock();
      const until = seconds > 0 ? after(now, seconds) : 0;
      change(receiptHandles, (receipt) => table.giveBack(receipt, { until, hiddenAfter: now }));
    },
    discardGroup: (group) => {
      table.removeGroup(group);
      refresh(name, [group]);
    },
    charge: (tenant, bytes) => costs?.add(tenant, bytes, rateTime(options)),
  };
}
