import { randomUUID } from 'node:crypto';
import { QueueFullError } from '#shared/errors.ts';
import type { OutgoingMessage, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { type Backlogs, roomIn, type TenantBound } from './backlogs.ts';
import type { FedQueue, MessageRow, MessageTable, Receipt } from './message-table.ts';

/** How a queue in a database file behaves. */
export interface SqliteQueueOptions {
  readonly name: string;
  readonly fifo: boolean;
  /** Greater than 0. */
  readonly visibilityTimeoutSeconds: number;
  /** After so many receipts a message moves to the dead-letter queue, if there is one. */
  readonly maxReceiveCount: number;
  /** Name of a queue in the same database, FIFO exactly if this one is. */
  readonly deadLetterQueue?: string;
  /** What that queue keeps of a tenant. A message for which there is no room stays here, and is delivered again. */
  readonly deadLetterKeeps?: TenantBound;
  /**
   * What waits here of a tenant at most, as far as others send it (`sendAs`): beyond it they have to come again. More than one
   * of them sends at once, or that is never taken. What this process itself sends, such as what it redrives, is always taken.
   */
  readonly accepts?: TenantBound;
  /**
   * What is kept here of a tenant at most: of what is sent beyond it nothing is kept, and it is counted. The oldest stay:
   * they tell how it began, and nobody can push them out.
   */
  readonly keeps?: TenantBound;
  /** Where the work goes that follows from the messages here: who has enough of it waiting there gets no turn here. */
  readonly feeds?: FedQueue;
  /**
   * How many turns a tenant has in one receive at most, greater than 0: who comes while one waits alone waits for what that
   * one was given, and no longer. Default: as many as there are places.
   */
  readonly turns?: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Default: random UUIDs. */
  readonly createMessageId?: () => string;
  /** What receivers see as the sender of the messages sent here. Default: `local`. */
  readonly senderId?: string;
}

/** The rules of SQS on the stored messages of one queue. Each function is one transaction of its caller. */
export interface QueueRules {
  /**
   * @param senderId default: the queue's own, which is not refused
   * @returns why none of them is taken; thrown in the transaction, it would make those of others that share it start again
   */
  send(messages: readonly OutgoingMessage[], senderId?: string): QueueFullError | undefined;
  /** Up to `max` messages, and whether others have moved to the dead-letter queue. */
  receive(max: number): { readonly messages: readonly ReceivedMessage[]; readonly moved: boolean };
  delete(receiptHandles: readonly string[]): void;
  changeVisibility(receiptHandles: readonly string[], seconds: number): void;
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

function received(row: MessageRow): ReceivedMessage {
  const receiveCount = row.receive_count + 1;
  return {
    messageId: row.message_id,
    receiptHandle: receiptHandle({ sequence: row.sequence, receiveCount }),
    body: row.body,
    ...(row.group_id === '' ? {} : { group: row.group_id }),
    ...(row.deduplication_id === null ? {} : { deduplicationId: row.deduplication_id }),
    senderId: row.sender_id,
    receiveCount,
    sentAt: row.sent_at,
  };
}

function after(now: number, seconds: number): number {
  return Math.round(now + seconds * MS_PER_SECOND);
}

/** What the rules of one queue work with. */
interface Context {
  readonly table: MessageTable;
  readonly backlogs: Backlogs;
  readonly options: SqliteQueueOptions;
  /** Brings the ready groups of a queue up to date. */
  readonly refresh: (queue: string, groups: Iterable<string>) => void;
}

/** Whose message it is; in a standard queue its group says that, and nothing else. */
function tenantOf({ group, tenant }: OutgoingMessage, fifo: boolean): string {
  return (fifo ? tenant : group) ?? '';
}

/** Whether there is no room for messages that somebody else sends. */
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

/** The messages that the queue keeps; the others are counted. */
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

function sender(context: Context): QueueRules['send'] {
  const { table, options, refresh } = context;
  const { name, fifo, clock, senderId: ownId = 'local', createMessageId = randomUUID } = options;
  return (messages, senderId) => {
    const full = senderId === undefined ? undefined : fullness(context, messages);
    if (full !== undefined) return full;
    const now = clock();
    const identifierEnd = after(now, DEDUPLICATION_WINDOW_SECONDS);
    table.forgetIdentifiers(now);
    const fresh = keptOf(context, messages).filter(
      (message) =>
        message.deduplicationId === undefined || table.rememberIdentifier(message, identifierEnd),
    );
    for (const message of fresh) {
      const { delaySeconds = 0 } = message;
      const hiddenUntil = delaySeconds > 0 ? after(now, delaySeconds) : 0;
      const tenant = tenantOf(message, fifo);
      const messageId = createMessageId();
      const from = senderId ?? ownId;
      table.add({ ...message, tenant, messageId, senderId: from, sentAt: now, hiddenUntil });
    }
    refresh(name, new Set(fresh.map(({ group = '' }) => group)));
    return undefined;
  };
}

interface Turn {
  readonly tenant: string;
  readonly group: string;
}

/** The turns of one receive, each when the one before it is over; none when whose turn it is has had as many as he may. */
function turnsIn(table: MessageTable, most = Number.POSITIVE_INFINITY): () => Turn | undefined {
  const had = new Map<string, number>();
  return () => {
    const tenant = table.nextTenant();
    if (tenant === undefined) return undefined;
    // He was served least recently: all others that wait have had theirs too.
    const count = (had.get(tenant) ?? 0) + 1;
    had.set(tenant, count);
    const group = count > most ? undefined : table.nextReadyGroup(tenant);
    return group === undefined ? undefined : { tenant, group };
  };
}

/** Moves a message that was received too often to the dead-letter queue, if that has room for it. */
function mover({ table, backlogs, options, refresh }: Context): (row: MessageRow) => boolean {
  const { maxReceiveCount, deadLetterQueue, deadLetterKeeps } = options;
  return (row) => {
    if (deadLetterQueue === undefined || row.receive_count < maxReceiveCount) return false;
    const { tenant, body } = row;
    if (deadLetterKeeps && !roomIn(backlogs, deadLetterQueue, deadLetterKeeps)(tenant, body))
      return false;
    table.move(row, deadLetterQueue);
    refresh(deadLetterQueue, [row.group_id]);
    return true;
  };
}

function receiver(context: Context): QueueRules['receive'] {
  const { table, options, refresh } = context;
  const { name, fifo, clock, visibilityTimeoutSeconds, turns } = options;
  const moveIfDead = mover(context);
  /** Fills up the messages from one group; whether others of it have moved. */
  const takeFrom = (group: string, messages: ReceivedMessage[], max: number): boolean => {
    const until = after(clock(), visibilityTimeoutSeconds);
    let moved = false;
    // Again where some were dead: the group is locked afterwards, so this is its turn.
    for (;;) {
      const rows = table.visible(group, max - messages.length);
      if (rows.length === 0) return moved;
      const live = rows.filter((row) => !moveIfDead(row));
      for (const row of live) table.markReceived(row, until);
      messages.push(...live.map(received));
      moved ||= live.length < rows.length;
    }
  };
  return (max) => {
    refresh(name, table.release(clock()));
    const messages: ReceivedMessage[] = [];
    const next = turnsIn(table, turns);
    let moved = false;
    for (let turn = next(); turn !== undefined; turn = messages.length < max ? next() : undefined) {
      // One group of a FIFO queue is one piece of work; of a standard queue a message is.
      moved = takeFrom(turn.group, messages, fifo ? max : messages.length + 1) || moved;
      table.markServed(turn.tenant);
      refresh(name, [turn.group]);
    }
    return { messages, moved };
  };
}

function changer({ options, refresh }: Context) {
  return (
    receiptHandles: readonly string[],
    apply: (receipt: Receipt) => string | undefined,
  ): void => {
    const groups = receiptHandles.map((handle) => {
      const receipt = parseReceiptHandle(handle);
      return receipt && apply(receipt);
    });
    refresh(options.name, new Set(groups.filter((group) => group !== undefined)));
  };
}

/**
 * The rules for a queue on its stored messages.
 *
 * @throws RangeError when the visibility timeout is not greater than 0.
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
  const context = { table, backlogs, options, refresh };
  const change = changer(context);
  return {
    send: sender(context),
    receive: receiver(context),
    delete: (receiptHandles) => {
      // SQS: a receipt of a FIFO queue ends with its visibility timeout, one of a standard queue with the next receipt.
      const hiddenAfter = fifo ? clock() : -1;
      change(receiptHandles, (receipt) => table.remove(receipt, hiddenAfter));
    },
    changeVisibility: (receiptHandles, seconds) => {
      const now = clock();
      const until = seconds > 0 ? after(now, seconds) : 0;
      change(receiptHandles, (receipt) => table.hide(receipt, { until, hiddenAfter: now }));
    },
  };
}
