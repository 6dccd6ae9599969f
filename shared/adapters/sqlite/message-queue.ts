import { performance } from 'node:perf_hooks';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { checkMax, checkMessages } from '#shared/adapters/message-limits.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import { createBacklogs } from './backlogs.ts';
import { failureText, isDatabaseFailure, type SqliteDatabase } from './database.ts';
import { createMessageTable, type MessageCounts, type MessageTable } from './message-table.ts';
import { createQueueRules, type QueueRules, type SqliteQueueOptions } from './queue-rules.ts';

/** A queue in a SQLite database. */
export interface SqliteMessageQueue extends MessageQueue {
  /**
   * Like `send`, with another sender than the queue's own. All messages are accepted, or none.
   *
   * @throws QueueFullError if the queue already holds as much as it accepts for a tenant.
   */
  sendAs(
    senderId: string,
    messages: readonly OutgoingMessage[],
    signal?: AbortSignal,
  ): Promise<void>;
  /**
   * Makes received messages visible again after a number of seconds, for a receiver that has not tried to handle them. The receipt
   * does not count: it brings no message closer to the dead-letter queue. An outdated handle is ignored.
   *
   * @throws QueueUnavailableError
   */
  giveBack(receiptHandles: readonly string[], seconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Deletes all messages of a group, also those in flight. What their receivers do with them afterwards has no effect here.
   *
   * @throws QueueUnavailableError
   */
  discardGroup(group: string, signal?: AbortSignal): Promise<void>;
  /**
   * Whether the queue has a message of a group, in flight or not.
   *
   * @throws QueueUnavailableError
   */
  holdsGroup(group: string): Promise<boolean>;
  /**
   * Says what messages of a tenant have cost their receiver. Beyond the rate of the queue (`cost`), the tenant gets no turn while
   * other tenants are active.
   *
   * @param bytes the bodies and the memory that their content took
   */
  charge(tenant: string, bytes: number): void;
  /** @throws QueueUnavailableError */
  counts(): Promise<MessageCounts>;
  /**
   * The number of messages that the queue has not kept since its file was created, by tenant.
   *
   * @throws QueueUnavailableError
   */
  leftOut(): Promise<ReadonlyMap<string, number>>;
}

const MS_PER_SECOND = 1_000;
/** How soon a receiver looks again for messages whose tenant gets no turn now. What the tenant has in flight may end meanwhile. */
const HELD_BACK_MS = 100;
/** The same in a queue with low priorities: they wait for work that may end soon, possibly in another queue. */
const LOW_PRIORITY_MS = 10;

type Change = <T>(operation: string, signal: AbortSignal | undefined, apply: () => T) => Promise<T>;

function named({ file }: SqliteDatabase, operation: string, error: unknown): unknown {
  if (!isDatabaseFailure(error)) return error;
  return new QueueUnavailableError(`${operation}: ${failureText(file, error)}`, { cause: error });
}

function translate<T>(database: SqliteDatabase, operation: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw named(database, operation, error);
  }
}

async function translateLater<T>(
  database: SqliteDatabase,
  operation: string,
  body: () => Promise<T>,
): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw named(database, operation, error);
  }
}

/** What a receive finds. */
type Received = ReturnType<QueueRules['receive']>;

const NOTHING: Received = { messages: [], moved: false };

interface QueueParts {
  readonly database: SqliteDatabase;
  readonly table: MessageTable;
  readonly rules: QueueRules;
  readonly options: SqliteQueueOptions;
}

/** Plans to look again for messages whose tenant gets no turn now. */
function lookAgain({ database, options: { name, lowPriority } }: QueueParts): void {
  database.wakeUps.notifyAfter(name, lowPriority === undefined ? HELD_BACK_MS : LOW_PRIORITY_MS);
}

/** Receives in a transaction. If there is nothing, plans when to look again. */
function receiveIn(parts: QueueParts, max: number): Received {
  const { database, table, rules, options } = parts;
  const { name, visibilityTimeoutSeconds } = options;
  const received = rules.receive(max);
  if (received.messages.length > 0)
    database.wakeUps.notifyAfter(name, visibilityTimeoutSeconds * MS_PER_SECOND);
  else if (table.hasReady()) lookAgain(parts);
  return received;
}

async function receiveNow(parts: QueueParts, max: number): Promise<Received> {
  const { database, table, rules, options } = parts;
  const untilRelease = (table.nextRelease() ?? Number.POSITIVE_INFINITY) - options.clock();
  // A read first, because an idle queue must not keep other processes from writing.
  if (untilRelease <= 0 || rules.hasTurn()) return database.write(() => receiveIn(parts, max));
  database.wakeUps.notifyAfter(options.name, untilRelease);
  if (table.hasReady()) lookAgain(parts);
  return NOTHING;
}

function receiving(parts: QueueParts): MessageQueue['receive'] {
  const { database, options } = parts;
  const { wakeUps } = database;
  const messagesOf = ({ messages, moved }: Received): readonly ReceivedMessage[] => {
    if (moved && options.deadLetterQueue !== undefined) wakeUps.notify(options.deadLetterQueue);
    return messages;
  };
  const look = async (max: number): Promise<readonly ReceivedMessage[]> => {
    const messages = messagesOf(
      await translateLater(database, 'receive', () => receiveNow(parts, max)),
    );
    // There may be more messages for the next receiver.
    if (messages.length > 0) wakeUps.notify(options.name);
    return messages;
  };
  /** Waits until a change lets it receive, or until it has to look. */
  const wait = async (
    max: number,
    milliseconds: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ReceivedMessage[]> => {
    const receive = (): Received | undefined => {
      if (!parts.table.hasReady()) return undefined;
      const received = receiveIn(parts, max);
      return received.messages.length > 0 || received.moved ? received : undefined;
    };
    return messagesOf(
      (await wakeUps.wait(options.name, milliseconds, { receive, signal })) ?? NOTHING,
    );
  };
  return async ({ max, waitSeconds }, signal) => {
    checkMax(max);
    // Not the clock, because the clock may be set during the wait.
    const deadline = performance.now() + waitSeconds * MS_PER_SECOND;
    // Without this, a receiver that always finds messages would starve timers and sockets.
    await yieldToEventLoop();
    while (!signal?.aborted) {
      const found = await look(max);
      const left = deadline - performance.now();
      if (found.length > 0 || left <= 0) return found;
      const handed = await wait(max, left, signal);
      if (handed.length > 0) return handed;
    }
    // This receiver may have taken the notification, and does not look again.
    wakeUps.notify(options.name);
    return [];
  };
}

/**
 * Creates a queue, standard or FIFO, in an open database. All of its state is in the database: messages, receipts and
 * deduplication identifiers survive a restart, and several processes may use one queue.
 *
 * As in SQS with `DeduplicationScope: messageGroup`, deduplication identifiers are compared within their group. A message
 * without one is never a duplicate. Messages are kept until they are deleted: there is no retention period.
 *
 * @throws RangeError if the options are invalid; QueueUnavailableError if the database fails.
 */
export function createSqliteMessageQueue(
  database: SqliteDatabase,
  options: SqliteQueueOptions,
): SqliteMessageQueue {
  const { name, fifo, clock } = options;
  const table = translate(database, 'open', () => createMessageTable(database, options));
  const backlogs = translate(database, 'open', () => createBacklogs(database));
  const rules = createQueueRules(table, backlogs, options);
  const change: Change = async (operation, signal, apply) => {
    if (signal?.aborted) throw new QueueUnavailableError(operation, { cause: signal.reason });
    return translateLater(database, operation, () => database.write(apply, name));
  };
  /** Notifies a receiver when messages become visible. */
  const visibleAfter = (seconds: number): void => {
    if (seconds > 0) database.wakeUps.notifyAfter(name, seconds * MS_PER_SECOND);
  };
  const sendAs = async (
    senderId: string | undefined,
    messages: readonly OutgoingMessage[],
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    checkMessages(messages, fifo);
    const full = await change('send', signal, () => rules.send(messages, senderId));
    if (full !== undefined) throw full;
    for (const { delaySeconds = 0, restSeconds = 0 } of messages)
      visibleAfter(delaySeconds || restSeconds);
  };
  return {
    send: (messages, signal) => sendAs(undefined, messages, signal),
    sendAs,
    receive: receiving({ database, table, rules, options }),
    delete: (receiptHandles, signal) =>
      change('delete', signal, () => rules.delete(receiptHandles)),
    changeVisibility: async (receiptHandles, seconds, signal) => {
      await change('changeVisibility', signal, () =>
        rules.changeVisibility(receiptHandles, seconds),
      );
      visibleAfter(seconds);
    },
    giveBack: async (receiptHandles, seconds, signal) => {
      await change('giveBack', signal, () => rules.giveBack(receiptHandles, seconds));
      visibleAfter(seconds);
    },
    discardGroup: (group, signal) => change('discard', signal, () => rules.discardGroup(group)),
    holdsGroup: async (group) => translate(database, 'holds', () => table.holdsGroup(group)),
    charge: rules.charge,
    counts: async () => translate(database, 'counts', () => table.counts(clock())),
    leftOut: async () => translate(database, 'leftOut', () => backlogs.leftOut(name)),
  };
}
