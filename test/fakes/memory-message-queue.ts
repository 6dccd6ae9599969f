import { setTimeout as sleep } from 'node:timers/promises';
import { checkMax, checkMessages } from '#shared/adapters/message-limits.ts';
import type { MessageCounts } from '#shared/adapters/sqlite/message-table.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';

export interface MemoryQueueOptions {
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number;
  readonly deadLetterQueue?: MemoryMessageQueue | undefined;
  /** Milliseconds since the epoch: the queue's only time. */
  readonly clock: () => number;
  /** A new message identifier each time. */
  readonly createMessageId: () => string;
  readonly senderId?: string;
  /** Whose deduplication identifiers are compared: those of a message group (the default), or of the whole queue. */
  readonly deduplicationScope?: 'messageGroup' | 'queue';
}

/** What a receive of the fake may say besides what the port knows. */
interface MemoryReceiveOptions {
  readonly max: number;
  readonly waitSeconds: number;
  /** Instead of the queue's. */
  readonly visibilityTimeoutSeconds?: number;
}

/**
 * A queue in memory. With `waitSeconds: 0` a receive returns at once and nothing depends on real time. Its options are
 * read at each use.
 */
export interface MemoryMessageQueue extends MessageQueue {
  receive(options: MemoryReceiveOptions, signal?: AbortSignal): Promise<readonly ReceivedMessage[]>;
  counts(): Promise<MessageCounts>;
  /** Sends one message without checking it; its identifier, or that of the message which it is a duplicate of. */
  add(message: OutgoingMessage, senderId: string): string;
  /** Deletes by a receipt handle, unless it is outdated; whether it was not. */
  remove(receiptHandle: string): boolean;
  /** Changes visibility by a receipt handle, unless it is outdated; whether it was not. */
  hide(receiptHandle: string, seconds: number): boolean;
  /** Makes messages visible again after a number of seconds. The receipts end, and do not count. */
  giveBack(receiptHandles: readonly string[], seconds: number): Promise<void>;
  /** Deletes all messages. */
  purge(): void;
  /** Takes a message over from the queue that this is the dead-letter queue of. */
  accept(message: StoredMessage): void;
}

interface StoredMessage {
  readonly sent: OutgoingMessage;
  readonly messageId: string;
  readonly senderId: string;
  readonly sentAt: number;
  receiveCount: number;
  /** The number of the last receipt, for its handle. */
  receipts: number;
  hiddenUntil: number;
}

/** Messages that a tenant has in its turn, and how many of them are delivered at most. */
interface Turn {
  readonly tenant: string;
  readonly group: readonly StoredMessage[];
  readonly most: number;
}

const DEDUPLICATION_WINDOW_MS = 5 * 60 * 1_000;
const POLL_MS = 10;

function handleOf({ messageId, receipts }: StoredMessage): string {
  return `${messageId}/${receipts}`;
}

function toReceived(message: StoredMessage): ReceivedMessage {
  const { body, group, deduplicationId } = message.sent;
  return {
    messageId: message.messageId,
    receiptHandle: handleOf(message),
    body,
    ...(group === undefined ? {} : { group }),
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
    senderId: message.senderId,
    receiveCount: message.receiveCount,
    sentAt: message.sentAt,
  };
}

/** A queue in memory with SQS's semantics, standard or FIFO, deterministic where the clock and the identifiers are. */
export function createMemoryMessageQueue(options: MemoryQueueOptions): MemoryMessageQueue {
  const { fifo, clock } = options;
  /** In the order of sending. */
  let messages: StoredMessage[] = [];
  /** When the deduplication window of an identifier ends, and the message that opened it. */
  const windows = new Map<string, { readonly end: number; readonly messageId: string }>();

  /** By tenant: its latest turn, counted. */
  const served = new Map<string, number>();
  let turns = 0;

  const isHidden = (message: StoredMessage): boolean => message.hiddenUntil > clock();
  const remove = (gone: StoredMessage): void => {
    messages = messages.filter((message) => message !== gone);
  };

  const store = (sent: OutgoingMessage, senderId: string): string => {
    const messageId = options.createMessageId();
    messages.push({
      sent,
      messageId,
      senderId,
      sentAt: clock(),
      receiveCount: 0,
      receipts: 0,
      hiddenUntil: clock() + (sent.delaySeconds ?? 0) * 1_000,
    });
    return messageId;
  };

  const add = (sent: OutgoingMessage, senderId: string): string => {
    if (sent.deduplicationId === undefined) return store(sent, senderId);
    const scope = options.deduplicationScope === 'queue' ? '' : sent.group;
    const key = JSON.stringify([scope, sent.deduplicationId]);
    const window = windows.get(key);
    if (window !== undefined && window.end > clock()) return window.messageId;
    const messageId = store(sent, senderId);
    windows.set(key, { end: clock() + DEDUPLICATION_WINDOW_MS, messageId });
    return messageId;
  };

  const groupOf = ({ sent }: StoredMessage): string => sent.group ?? '';
  const tenantOf = ({ sent }: StoredMessage): string => (fifo ? sent.tenant : sent.group) ?? '';

  /** Messages that may be received now, in the order of sending. */
  const receivable = (): readonly StoredMessage[] => {
    const hidden = messages.filter(isHidden);
    const locked = new Set(fifo ? hidden.map(groupOf) : []);
    return messages.filter((message) => !isHidden(message) && !locked.has(groupOf(message)));
  };

  /**
   * What is received next: of the tenant that was served least recently the first message, in a FIFO queue with all of its
   * group; all messages of a tenant that waits alone.
   */
  const nextTurn = (): Turn => {
    const waiting = receivable();
    const [tenant = '', ...others] = [...new Set(waiting.map(tenantOf))]
      .sort()
      .sort((a, b) => (served.get(a) ?? 0) - (served.get(b) ?? 0));
    const first = waiting.find((message) => tenantOf(message) === tenant);
    const group = waiting.filter((message) => first && groupOf(message) === groupOf(first));
    const isWhole = fifo || others.length === 0;
    return { tenant, group, most: isWhole ? Number.POSITIVE_INFINITY : 1 };
  };

  /** Receives a message, or moves it where it has been received too often. */
  const deliver = (message: StoredMessage, seconds: number): readonly ReceivedMessage[] => {
    const { maxReceiveCount, deadLetterQueue } = options;
    if (deadLetterQueue !== undefined && message.receiveCount >= maxReceiveCount) {
      remove(message);
      deadLetterQueue.accept(message);
      return [];
    }
    message.receiveCount += 1;
    message.receipts += 1;
    message.hiddenUntil = clock() + seconds * 1_000;
    return [toReceived(message)];
  };

  const takeTurn = ({ group, most }: Turn, max: number, seconds: number): ReceivedMessage[] => {
    const received: ReceivedMessage[] = [];
    for (const message of group)
      if (received.length < Math.min(most, max)) received.push(...deliver(message, seconds));
    return received;
  };

  const receiveNow = (request: MemoryReceiveOptions): readonly ReceivedMessage[] => {
    const { max, visibilityTimeoutSeconds = options.visibilityTimeoutSeconds } = request;
    const received: ReceivedMessage[] = [];
    while (received.length < max) {
      const turn = nextTurn();
      if (turn.group.length === 0) break;
      received.push(...takeTurn(turn, max - received.length, visibilityTimeoutSeconds));
      turns += 1;
      served.set(turn.tenant, turns);
    }
    return received;
  };

  const byHandle = (handle: string): StoredMessage | undefined =>
    messages.find((message) => message.receipts > 0 && handleOf(message) === handle);

  const removeByHandle = (handle: string): boolean => {
    const message = byHandle(handle);
    if (message === undefined || (fifo && !isHidden(message))) return false;
    remove(message);
    return true;
  };

  const hide = (handle: string, seconds: number): boolean => {
    const message = byHandle(handle);
    if (message === undefined || !isHidden(message)) return false;
    message.hiddenUntil = clock() + seconds * 1_000;
    return true;
  };

  return {
    send: async (sent) => {
      checkMessages(sent, fifo);
      for (const message of sent) add(message, options.senderId ?? 'local');
    },
    receive: async (request, signal) => {
      checkMax(request.max);
      const deadline = clock() + request.waitSeconds * 1_000;
      while (!signal?.aborted) {
        const received = receiveNow(request);
        if (received.length > 0 || clock() >= deadline) return received;
        await sleep(POLL_MS);
      }
      return [];
    },
    delete: async (handles) => {
      handles.forEach(removeByHandle);
    },
    changeVisibility: async (handles, seconds) => {
      for (const handle of handles) hide(handle, seconds);
    },
    giveBack: async (handles, seconds) => {
      for (const handle of handles) {
        const message = byHandle(handle);
        if (message === undefined || !hide(handle, seconds)) continue;
        message.receiveCount -= 1;
        message.receipts += 1;
      }
    },
    add,
    remove: removeByHandle,
    hide,
    purge: () => {
      messages = [];
    },
    counts: async () => {
      const hidden = messages.filter(isHidden);
      const inFlight = hidden.filter((message) => message.receipts > 0).length;
      return {
        visible: messages.length - hidden.length,
        inFlight,
        delayed: hidden.length - inFlight,
      };
    },
    accept: (message) => {
      messages.push({ ...message, receiveCount: 0, receipts: 0, hiddenUntil: clock() });
    },
  };
}
