import type { MessageSender, ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import type { PolledQueue } from './trials.ts';

/**
 * The longest time that a sender waits, in milliseconds. Its messages may fail and be retried. If it did not wait while others have turns
 * before, messages would pile up, and outdated events would take the time of newer ones.
 */
const LONGEST_WAIT_MS = 5_000;

/** Why a sender waits no longer. One for all: a default reason is an error with a stack trace, for each message. */
const HANDLED = 'all messages are handled';

/** A sender that waits for its messages. */
class Sending {
  readonly #group: string;
  #unhandled: number;
  readonly #handles = new Set<string>();
  readonly #done = new AbortController();

  constructor(group: string, messages: number) {
    this.#group = group;
    this.#unhandled = messages;
  }

  /** Aborts when all are handled. */
  get done(): AbortSignal {
    return this.#done.signal;
  }

  get isDone(): boolean {
    return this.#unhandled === 0;
  }

  received({ group, receiptHandle }: ReceivedMessage): void {
    if (group === this.#group) this.#handles.add(receiptHandle);
  }

  handled(receiptHandle: string): void {
    if (!this.#handles.delete(receiptHandle)) return;
    this.#unhandled -= 1;
    if (this.isDone) this.#done.abort(HANDLED);
  }
}

/**
 * Lets the forwarders of this process wait while their messages are handled. A forwarder collects events while it sends, the newest of
 * each object. So a late receiver gets fewer messages with more events, and no outdated ones.
 */
export class HandledMessages {
  readonly #sendings = new Set<Sending>();
  readonly #sleep: Waiting['sleep'];

  constructor(sleep: Waiting['sleep']) {
    this.#sleep = sleep;
  }

  /** The queue for its poller. */
  received(queue: PolledQueue): PolledQueue {
    return {
      ...queue,
      receive: async (options, signal) => {
        const messages = await queue.receive(options, signal);
        for (const sending of this.#sendings)
          for (const message of messages) sending.received(message);
        return messages;
      },
      delete: async (receiptHandles, signal) => {
        await queue.delete(receiptHandles, signal);
        for (const sending of this.#sendings)
          for (const handle of receiptHandles) sending.handled(handle);
      },
    };
  }

  /**
   * The queue for a sender whose messages have one group. `send` returns when as many messages of the group have been handled since, which
   * are its own unless older ones wait, or five seconds after the queue has accepted them. It throws as the queue does.
   */
  sent(queue: MessageSender): MessageSender {
    return {
      send: async (messages, signal) => {
        const sending = new Sending(messages[0]?.group ?? '', messages.length);
        // Before they are sent, because the poller may be faster.
        this.#sendings.add(sending);
        try {
          await queue.send(messages, signal);
          const ends = [sending.done, ...(signal === undefined ? [] : [signal])];
          if (!sending.isDone) await this.#sleep(LONGEST_WAIT_MS, AbortSignal.any(ends));
        } finally {
          this.#sendings.delete(sending);
        }
      },
    };
  }
}
