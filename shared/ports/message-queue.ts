/** A message to send. */
export interface OutgoingMessage {
  /** Text, at most {@link MAX_MESSAGE_BYTES} in UTF-8. */
  readonly body: string;
  /**
   * 1 to 128 ASCII characters, no spaces.
   *
   * FIFO queues: messages of one group are received in order, and by one receiver at a time.
   *
   * Standard queues: the tenant of the message, and nothing else. The backlog of one group does not delay the messages of
   * another. There is no order, and any number of messages of a group may be in flight. Messages without a group are one more
   * group, or each is a group of its own, depending on the queue.
   */
  readonly group?: string;
  /**
   * FIFO queues: the tenant of the work, like the group in a standard queue. If the queue supports tenants, they take turns;
   * SQS does not support them. It has the same characters as a group. The receiver of the message does not see it.
   *
   * A tenant may have parts, `<tenant>~<part>`. They take turns with each other within the turns of the tenant.
   */
  readonly tenant?: string;
  /**
   * FIFO queues: of messages with the same group and identifier that are sent within 5 minutes, only the first is delivered. A
   * message without an identifier is never a duplicate. It has the same characters as a group.
   */
  readonly deduplicationId?: string;
  /**
   * FIFO queues: if the group was received less than this number of seconds ago, the message can be received when they have
   * passed. Until then, further messages of the group join it. SQS does not support this.
   */
  readonly restSeconds?: number;
  /** Standard queues: the seconds before the message can be received, 0 to 900. */
  readonly delaySeconds?: number;
}

/** A received message. It stays in the queue, invisible, until it is deleted or its visibility timeout ends. */
export interface ReceivedMessage {
  readonly messageId: string;
  /** Identifies this receipt. A later receipt of the same message has another handle. */
  readonly receiptHandle: string;
  readonly body: string;
  readonly group?: string;
  readonly deduplicationId?: string;
  /** The sender, as the queue recorded it. */
  readonly senderId: string;
  /** How often it has been received, including this time. */
  readonly receiveCount: number;
  /** When it was sent, in milliseconds since the epoch. */
  readonly sentAt: number;
}

/** SQS's limit for a message, and for a batch of messages, in bytes of UTF-8. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * A queue with SQS's semantics, standard or FIFO depending on its creation. It delivers at least once, with a visibility
 * timeout. After `maxReceiveCount` receipts, a message moves to the dead-letter queue. In a FIFO queue, a group with messages
 * in flight delivers nothing more until they are deleted or visible again, and then continues in the old order.
 *
 * Every method may throw `QueueUnavailableError` (retryable). Then the outcome is unknown.
 */
export interface MessageQueue {
  /**
   * Sends any number of messages, in order within their group. After it has returned, all are durable.
   *
   * @throws MessageTooLargeError with the group, before anything is sent.
   */
  send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<void>;
  /**
   * Receives up to `max` (1 to 10) messages, and waits up to `waitSeconds` for the first. On abort, it returns early with no
   * messages.
   */
  receive(
    options: { readonly max: number; readonly waitSeconds: number },
    signal?: AbortSignal,
  ): Promise<readonly ReceivedMessage[]>;
  /** Deletes received messages by their receipt handles. An outdated handle is ignored. */
  delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Makes received messages visible again after a number of seconds (0: now). An outdated handle is ignored. */
  changeVisibility(
    receiptHandles: readonly string[],
    seconds: number,
    signal?: AbortSignal,
  ): Promise<void>;
}

/** The part of a queue that a sender needs. */
export interface MessageSender extends Pick<MessageQueue, 'send'> {
  /**
   * Identifies the state of the receiver that accepted the last messages. If the name changes, the receiver has another state,
   * which does not contain anything that was sent before. Returns undefined, or is absent, if the receiver does not name its
   * state.
   */
  receiverState?(): string | undefined;
}

/** The tenant of which a tenant is a part, or the tenant itself. */
export function wholeTenant(tenant: string): string {
  const [whole = ''] = tenant.split('~');
  return whole;
}

/** The tenant whose change leads to the work of a tenant: of `wds/one|wec/two`, `wec/two`. */
export function changingTenant(tenant: string): string {
  return tenant.slice(tenant.lastIndexOf('|') + 1);
}
