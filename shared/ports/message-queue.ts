/** A message to send. */
export interface OutgoingMessage {
  /** Text, at most {@link MAX_MESSAGE_BYTES} in UTF-8. */
  readonly body: string;
  /**
   * 1 to 128 ASCII characters, no spaces.
   *
   * FIFO queues: messages of one group are received in order, and by one receiver at a time.
   *
   * Standard queues: whose message it is, and nothing else. The backlog of one group does not keep the messages of another
   * waiting; there is no order, and any number of a group may be in flight. Messages without a group are one more group, or
   * each a group of its own, as the queue likes.
   */
  readonly group?: string;
  /**
   * FIFO queues: whose work it is, as the group of a standard queue says it. Groups take turns by this, where the queue
   * knows it; SQS does not. Of the same characters as a group; nobody is told of it who receives the message.
   */
  readonly tenant?: string;
  /**
   * FIFO queues: of messages of one group with one identifier sent within 5 minutes, the first alone is delivered. A
   * message without an identifier is never a duplicate. Of the same characters as a group.
   */
  readonly deduplicationId?: string;
  /** Standard queues: seconds before the message can be received, 0 to 900. */
  readonly delaySeconds?: number;
}

/** A received message. It stays in the queue, invisible, until it is deleted or its visibility timeout ends. */
export interface ReceivedMessage {
  readonly messageId: string;
  /** Names this receipt; a later receipt of the same message has another. */
  readonly receiptHandle: string;
  readonly body: string;
  readonly group?: string;
  readonly deduplicationId?: string;
  /** Who sent it, as the queue knows it. */
  readonly senderId: string;
  /** How often it has been received, this time included. */
  readonly receiveCount: number;
  /** When it was sent, in milliseconds since the epoch. */
  readonly sentAt: number;
}

/** SQS's limit for a message, and for a batch of messages, in bytes of UTF-8. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * A queue with SQS's semantics, standard or FIFO as it was created: at-least-once delivery; a visibility timeout; after
 * `maxReceiveCount` receipts a message moves to the dead-letter queue; in a FIFO queue a group with messages in flight
 * delivers nothing more until they are deleted or visible again, and then in the old order.
 *
 * Every method may throw `QueueUnavailableError` (retryable): then nothing is known of the outcome.
 */
export interface MessageQueue {
  /**
   * Sends messages, in order within their group; any number. When it returns all are durable.
   *
   * @throws MessageTooLargeError naming the group, before anything is sent.
   */
  send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<void>;
  /** Up to `max` (1 to 10) messages; waits up to `waitSeconds` for the first. Ends early and empty on abort. */
  receive(
    options: { readonly max: number; readonly waitSeconds: number },
    signal?: AbortSignal,
  ): Promise<readonly ReceivedMessage[]>;
  /** Deletes received messages by their receipt handles; an outdated handle is ignored. */
  delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Makes received messages visible again in so many seconds (0: now); an outdated handle is ignored. */
  changeVisibility(
    receiptHandles: readonly string[],
    seconds: number,
    signal?: AbortSignal,
  ): Promise<void>;
}

/** What a sender needs of a queue. */
export interface MessageSender extends Pick<MessageQueue, 'send'> {
  /**
   * Names the state of the receiver that took the last messages: another name, another state, which knows nothing of what
   * was told before. `undefined`, or no such method: it does not say.
   */
  receiverState?(): string | undefined;
}
