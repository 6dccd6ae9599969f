import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import type { QueuePair } from './deployment.ts';

const BATCH_SIZE = 10;
/** With long polling, SQS asks all of its servers, so an empty answer means that there are no messages. */
const WAIT_SECONDS = 1;

/** Messages that are held: they are invisible to others until they are released. */
class Held {
  readonly #queue: MessageQueue;
  readonly #messages = new Map<string, ReceivedMessage>();

  constructor(queue: MessageQueue) {
    this.#queue = queue;
  }

  get messages(): readonly ReceivedMessage[] {
    return [...this.#messages.values()];
  }

  /** Receives some messages. Returns those that were not held before. */
  async receive(max: number): Promise<readonly ReceivedMessage[]> {
    const received = await this.#queue.receive({ max, waitSeconds: WAIT_SECONDS });
    const fresh = received.filter(({ messageId }) => !this.#messages.has(messageId));
    for (const message of received) this.#messages.set(message.messageId, message);
    return fresh;
  }

  async delete(messages: readonly ReceivedMessage[]): Promise<void> {
    await this.#queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    for (const { messageId } of messages) this.#messages.delete(messageId);
  }

  async release(): Promise<void> {
    const handles = this.messages.map(({ receiptHandle }) => receiptHandle);
    if (handles.length > 0) await this.#queue.changeVisibility(handles, 0);
  }
}

/**
 * Reads up to `max` messages of a queue and makes them visible again immediately. Only the first messages of a group of
 * a FIFO queue can be seen.
 */
export async function lookAt(
  queue: MessageQueue,
  max: number,
): Promise<readonly ReceivedMessage[]> {
  const held = new Held(queue);
  try {
    let left = max;
    while (left > 0) {
      const fresh = await held.receive(Math.min(BATCH_SIZE, left));
      if (fresh.length === 0) break;
      left = max - held.messages.length;
    }
    return held.messages;
  } finally {
    await held.release();
  }
}

/** What to do with a message: send a message back and delete this one, only delete it, or leave it. */
export type Decision =
  | { readonly type: 'send'; readonly message: OutgoingMessage }
  | { readonly type: 'discard' }
  | { readonly type: 'leave' };

/** How the messages of a dead-letter queue are processed. */
export interface Plan {
  decide(message: ReceivedMessage): Decision;
  /** Called after each message with what was done with it. */
  done(message: ReceivedMessage, decision: Decision['type']): void;
  /** Whether everything requested is done. If so, processing ends after one more check for messages. */
  isComplete(): boolean;
}

/**
 * Processes the messages of a dead-letter queue and does what is decided for each. A message is deleted after its
 * replacement is stored. If this is interrupted, nothing is lost, and at most one message exists twice. The messages
 * that are left become visible again afterwards or, if the process is killed, after the visibility timeout.
 */
export async function emptyOut({ queue, deadLetters }: QueuePair, plan: Plan): Promise<void> {
  const held = new Held(deadLetters);
  const settle = async (messages: readonly ReceivedMessage[]): Promise<void> => {
    const decided = messages.map((message) => ({ message, decision: plan.decide(message) }));
    const back = decided.flatMap(({ decision }) =>
      decision.type === 'send' ? [decision.message] : [],
    );
    if (back.length > 0) await queue.send(back);
    const gone = decided.filter(({ decision }) => decision.type !== 'leave');
    if (gone.length > 0) await held.delete(gone.map(({ message }) => message));
    for (const { message, decision } of decided) plan.done(message, decision.type);
  };
  try {
    for (let isLast = false; !isLast; ) {
      isLast = plan.isComplete();
      const fresh = await held.receive(BATCH_SIZE);
      if (fresh.length === 0) return;
      await settle(fresh);
    }
  } finally {
    await held.release();
  }
}
