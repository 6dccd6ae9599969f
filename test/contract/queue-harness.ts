import { contentHash } from '#shared/content-hash.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';

/** What kind of queue a test needs. */
interface QueueRequest {
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number;
}

/** A queue to try with its dead-letter queue, both empty, and how to get rid of them. */
interface MadeMessageQueue {
  readonly queue: MessageQueue;
  readonly deadLetterQueue: MessageQueue;
  readonly close?: () => Promise<void>;
}

export type MakeMessageQueue = (request: QueueRequest) => Promise<MadeMessageQueue>;

export interface QueueTimes {
  /** Visibility timeout of the queues whose messages a test lets expire. Default: 2. */
  readonly shortTimeoutSeconds?: number;
  /** How long a test waits for a message that must come. Default: 10. */
  readonly patienceSeconds?: number;
}

/** A visibility timeout that no test outlasts. */
export const LONG_TIMEOUT_SECONDS = 60;
/** Of every queue that a test makes. */
export const MAX_RECEIVE_COUNT = 3;

/** In the order of delivery. */
export function bodies(messages: readonly ReceivedMessage[]): readonly string[] {
  return messages.map((message) => message.body);
}

/** In the order of delivery. */
export function handles(messages: readonly ReceivedMessage[]): readonly string[] {
  return messages.map((message) => message.receiptHandle);
}

/** A message to a FIFO queue; its identifier is unique to group and body unless given. */
export function fifo(
  group: string,
  body: string,
  deduplicationId = contentHash(`${group}/${body}`),
): OutgoingMessage {
  return { group, body, deduplicationId };
}

/** Makes and reads the queues of a suite. */
export interface QueueHarness {
  readonly shortTimeoutSeconds: number;
  readonly patienceSeconds: number;
  /** A new queue, whose messages expire within a test or do not. */
  makeQueue(kind: 'standard' | 'fifo', timeout?: 'long' | 'short'): Promise<MadeMessageQueue>;
  /** Receives until so many messages have come, or none has for too long. */
  take(queue: MessageQueue, count: number): Promise<readonly ReceivedMessage[]>;
  /** Asks once without waiting. */
  takeNothing(queue: MessageQueue): Promise<readonly ReceivedMessage[]>;
  /** Closes every queue that was made. */
  close(): Promise<void>;
}

/** The harness of one suite. */
export function createQueueHarness(
  make: MakeMessageQueue,
  { shortTimeoutSeconds = 2, patienceSeconds = 10 }: QueueTimes,
): QueueHarness {
  const closing: (() => Promise<void>)[] = [];
  const makeQueue = async (
    kind: 'standard' | 'fifo',
    timeout: 'long' | 'short' = 'long',
  ): Promise<MadeMessageQueue> => {
    const made = await make({
      fifo: kind === 'fifo',
      visibilityTimeoutSeconds: timeout === 'long' ? LONG_TIMEOUT_SECONDS : shortTimeoutSeconds,
      maxReceiveCount: MAX_RECEIVE_COUNT,
    });
    if (made.close) closing.push(made.close);
    return made;
  };
  const take = async (queue: MessageQueue, count: number): Promise<readonly ReceivedMessage[]> => {
    const taken: ReceivedMessage[] = [];
    while (taken.length < count) {
      const messages = await queue.receive({
        max: Math.min(10, count - taken.length),
        waitSeconds: patienceSeconds,
      });
      if (messages.length === 0) break;
      taken.push(...messages);
    }
    return taken;
  };
  const takeNothing = (queue: MessageQueue): Promise<readonly ReceivedMessage[]> =>
    queue.receive({ max: 10, waitSeconds: 0 });
  const close = async (): Promise<void> => {
    for (const closeOne of closing) await closeOne();
  };
  return { shortTimeoutSeconds, patienceSeconds, makeQueue, take, takeNothing, close };
}
