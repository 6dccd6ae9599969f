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
  readonly deadLetterQueue?: MemoryMessageQueue;
  /** Milliseconds since the epoch: the queue's only time. */
  readonly clock: () => number;
  /** A new message identifier each time. */
  readonly createMessageId: () => string;
  readonly senderId?: string;
}

/** A queue in memory. With `waitSeconds: 0` a receive returns at once and nothing depends on real time. */
export interface MemoryMessageQueue extends MessageQueue {
  counts(): Promise<MessageCounts>;
  /** Takes a message over from the queue that this is the dead-letter queue of. */
  accept(message: StoredMessage): void;
}

interface StoredMessage {
  readonly sent: OutgoingMessage;
  readonly messageId: string;
  readonly senderId: string;
  readonly sentAt: number;
  receiveCount: number;
  hiddenUntil: number;
}

const DEDUPLICATION_WINDOW_MS = 5 * 60 * 1_000;
const POLL_MS = 10;

function handleOf({ messageId, receiveCount }: StoredMessage): string {
  return `${messageId}/${receiveCount}`;
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
  const { fifo, clock, maxReceiveCount, deadLetterQueue } = options;
  /** In the order of sending. */
  let messages: StoredMessage[] = [];
  /** When the deduplication window of an identifier of a group ends. */
  const windows = new Map<string, number>();

  const isHidden = (message: StoredMessage): boolean => message.hiddenUntil > clock();
  const remove = (gone: StoredMessage): void => {
    messages = messages.filter((message) => message !== gone);
  };

  const isDuplicate = ({ group, deduplicationId }: OutgoingMessage): boolean => {
    if (deduplicationId === undefined) return false;
    const key = JSON.stringify([group, deduplicationId]);
    if ((windows.get(key) ?? Number.NEGATIVE_INFINITY) > clock()) return true;
    windows.set(key, clock() + DEDUPLICATION_WINDOW_MS);
    return false;
  };

  const send = (sent: OutgoingMessage): void => {
    if (isDuplicate(sent)) return;
    messages.push({
      sent,
      messageId: options.createMessageId(),
      senderId: options.senderId ?? 'local',
      sentAt: clock(),
      receiveCount: 0,
      hiddenUntil: clock() + (sent.delaySeconds ?? 0) * 1_000,
    });
  };

  /** Messages that may be received now, a FIFO queue's group by group in the order of their oldest messages. */
  const receivable = (): readonly StoredMessage[] => {
    if (!fifo) return messages.filter((message) => !isHidden(message));
    const groups = Map.groupBy(messages, (message) => message.sent.group);
    return [...groups.values()].filter((group) => !group.some(isHidden)).flat();
  };

  const receiveNow = (max: number): readonly ReceivedMessage[] => {
    const received: ReceivedMessage[] = [];
    for (const message of receivable()) {
      if (received.length === max) break;
      if (deadLetterQueue !== undefined && message.receiveCount >= maxReceiveCount) {
        remove(message);
        deadLetterQueue.accept(message);
      } else {
        message.receiveCount += 1;
        message.hiddenUntil = clock() + options.visibilityTimeoutSeconds * 1_000;
        received.push(toReceived(message));
      }
    }
    return received;
  };

  const byHandle = (handle: string): StoredMessage | undefined =>
    messages.find((message) => message.receiveCount > 0 && handleOf(message) === handle);

  return {
    send: async (sent) => {
      checkMessages(sent, fifo);
      sent.forEach(send);
    },
    receive: async ({ max, waitSeconds }, signal) => {
      checkMax(max);
      const deadline = clock() + waitSeconds * 1_000;
      while (!signal?.aborted) {
        const received = receiveNow(max);
        if (received.length > 0 || clock() >= deadline) return received;
        await sleep(POLL_MS);
      }
      return [];
    },
    delete: async (handles) => {
      for (const handle of handles) {
        const message = byHandle(handle);
        if (message !== undefined && (!fifo || isHidden(message))) remove(message);
      }
    },
    changeVisibility: async (handles, seconds) => {
      for (const handle of handles) {
        const message = byHandle(handle);
        if (message !== undefined && isHidden(message))
          message.hiddenUntil = clock() + seconds * 1_000;
      }
    },
    counts: async () => {
      const hidden = messages.filter(isHidden);
      const inFlight = hidden.filter((message) => message.receiveCount > 0).length;
      return {
        visible: messages.length - hidden.length,
        inFlight,
        delayed: hidden.length - inFlight,
      };
    },
    accept: (message) => {
      messages.push({ ...message, receiveCount: 0, hiddenUntil: clock() });
    },
  };
}
