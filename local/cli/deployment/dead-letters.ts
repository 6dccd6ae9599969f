import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import type { QueuePair } from './deployment.ts';

const BATCH_SIZE = 10;
/** Long polling: only then SQS asks all of its servers, so that an empty answer says that there is nothing. */
const WAIT_SECONDS = 1;

/** Messages that are being held: invisible to others until they are released. */
class Held {
  readonly #queue: MessageQueue;
  readonly #messages = new Map<string, ReceivedMessage>();

  constructor(queue: MessageQueue) {
    this.#queue = queue;
  }

  get messages(): readonly ReceivedMessage[] {
    return [...this.#messages.values()];
  }

  /** Receives some messages; those that were not held before. */
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
 * Looks at up to `max` messages of a queue and makes them visible again at once. Of a group of a FIFO queue only the first
 * ones can be seen.
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

/** What to do with a message: send something back and delete it, delete it for good, or leave it. */
export type Decision =
  | { readonly type: 'send'; readonly message: OutgoingMessage }
  | { readonly type: 'discard' }
  | { readonly type: 'leave' };

/** How a dead-letter queue is gone through. */
export interface Plan {
  decide(message: ReceivedMessage): Decision;
  /** Hears of each message what was done with it, once it is done. */
  done(message: ReceivedMessage, decision: Decision['type']): void;
  /** Whether all is done that was meant. Then it ends after one more look at whether there is more. */
  isComplete(): boolean;
}

/**
 * Goes through a dead-letter queue and does with each message what is decided. A message is deleted once what goes back is
 * stored, so whatever ends this early, nothing is lost and at most something is there twice. What is left is visible again
 * afterwards; when the process is killed, after the visibility timeout.
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
