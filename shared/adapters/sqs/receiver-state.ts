import { ListQueueTagsCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { unavailableBy } from './failure.ts';

/** The tag of a queue that names what its receiver stores messages in (`infra/queues.yml`). */
export const STATE_TAG = 'starfold:state';

/** How the tag of a queue is read. */
export interface ReceiverStateOptions {
  /** A client of `createSqsClient`. */
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** Called if the tag cannot be read, once until it was read again. The error names the remedy. */
  readonly onError: (error: Error) => void;
  /** How long a request may last, in milliseconds. Default: 5,000. */
  readonly timeoutMs?: number;
}

/** The time between two reads. It is also how long SQS drops a message with the deduplication identifier of an earlier one. */
const LOOK_MS = 300_000;
const TIMEOUT_MS = 5_000;

class TaggedReceiver {
  readonly #options: ReceiverStateOptions;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #state: string | undefined;
  /** Another state than the last one, which was read once. */
  #next: string | undefined;
  #changes = 0;
  #isFailing = false;

  constructor(options: ReceiverStateOptions) {
    this.#options = options;
  }

  /**
   * How often the state has changed. A forwarder may learn the first state long after it has begun to send, when a deployment adds
   * the tag. That is no change.
   */
  get changes(): number {
    return this.#changes;
  }

  /** Reads the tag, if it is time. Never throws: messages are sent whether it can be read or not. */
  async look(signal?: AbortSignal): Promise<void> {
    const now = this.#options.monotonic();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    try {
      this.#note(await this.#read(signal));
      this.#isFailing = false;
    } catch (error) {
      if (signal?.aborted === true) return;
      if (!this.#isFailing) this.#options.onError(this.#named(error));
      this.#isFailing = true;
    }
  }

  #named(error: unknown): Error {
    const { queueUrl } = this.#options;
    const name = 'ListQueueTags';
    return unavailableBy({ name, actions: [`sqs:${name}`], queueUrl }, error);
  }

  async #read(signal: AbortSignal | undefined): Promise<string | undefined> {
    const { client, queueUrl, timeoutMs = TIMEOUT_MS } = this.#options;
    const signals = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])];
    const { Tags = {} } = await client.send(new ListQueueTagsCommand({ QueueUrl: queueUrl }), {
      abortSignal: AbortSignal.any(signals),
    });
    return Tags[STATE_TAG];
  }

  /** A deployment changes the tag some minutes before the functions. So another state counts when it is read again. */
  #note(read: string | undefined): void {
    if (read === undefined) return;
    const isNew = this.#state !== undefined && read !== this.#state;
    if (isNew && read !== this.#next) {
      this.#next = read;
      return;
    }
    if (isNew) this.#changes += 1;
    this.#state = read;
    this.#next = undefined;
  }
}

/**
 * Adds the state of the receiver to a sender of a queue of SQS. The receiver is asked by the tag of the queue, at most every five
 * minutes, after messages were sent (docs/adr/0016-one-writer-and-lost-state.md).
 *
 * @param queue of the same queue. Its errors are passed on
 */
export function withReceiverState(
  queue: MessageSender,
  options: ReceiverStateOptions,
): MessageSender {
  const receiver = new TaggedReceiver(options);
  return {
    async send(messages, signal) {
      await queue.send(messages, signal);
      await receiver.look(signal);
    },
    receiverState: () => String(receiver.changes),
  };
}
