import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import type { MemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';
import { batchCalls, queueRequests } from './billing-rules.ts';
import { MODEL } from './deployment.ts';
import type { EventClock } from './event-clock.ts';
import type { Meter } from './meter.ts';

function bytesOf(bodies: readonly { readonly body: string }[]): readonly number[] {
  return bodies.map(({ body }) => Buffer.byteLength(body));
}

function total(bytes: readonly number[]): number {
  return bytes.reduce((sum, one) => sum + one, 0);
}

/**
 * A queue whose calls are billed as SQS bills them and take their time. Receives are those of Lambda's pollers: they wait
 * for messages under the virtual clock, and whoever waits longest is served first.
 */
export class BilledQueue {
  readonly name: string;
  readonly #inner: MemoryMessageQueue;
  readonly #meter: Meter;
  readonly #clock: EventClock;
  readonly #usage: 'SQS standard requests' | 'SQS FIFO requests';
  readonly #waiting = new Set<() => void>();

  constructor(
    what: { readonly name: string; readonly fifo: boolean; readonly inner: MemoryMessageQueue },
    world: { readonly meter: Meter; readonly clock: EventClock },
  ) {
    this.name = what.name;
    this.#inner = what.inner;
    this.#meter = world.meter;
    this.#clock = world.clock;
    this.#usage = what.fifo ? 'SQS FIFO requests' : 'SQS standard requests';
  }

  /** Messages that wait or are in flight. */
  async size(): Promise<number> {
    const { visible, inFlight, delayed } = await this.#inner.counts();
    return visible + inFlight + delayed;
  }

  /** The queue as its senders see it. @param sender who sends, for the bill. */
  sender(sender: string, compute: (bytes: number) => void = () => undefined): MessageQueue {
    return {
      receive: (options) => this.#inner.receive(options),
      delete: (handles) => this.#inner.delete(handles),
      changeVisibility: (handles, seconds) => this.#inner.changeVisibility(handles, seconds),
      send: async (messages) => {
        const sizes = bytesOf(messages);
        const calls = batchCalls(sizes);
        for (const bytes of calls) this.#bill(`send by ${sender}`, queueRequests(bytes));
        compute(total(sizes));
        // Batch calls of one send follow each other, in the order of the messages.
        await this.#clock.sleep(calls.length * MODEL.queueCallMs);
        await this.#accept(messages);
      },
    };
  }

  /** One ReceiveMessage call of a poller, which waits for the first message. */
  async receive(max: number, waitMs: number): Promise<readonly ReceivedMessage[]> {
    const received = await this.#firstOf(max, this.#clock.now() + waitMs);
    const isEmpty = received.length === 0;
    this.#bill(isEmpty ? 'empty receive' : 'receive', queueRequests(total(bytesOf(received))));
    // There may be more, which a sender woke nobody for.
    if (received.length === max) this.#wake(1);
    if (!isEmpty) await this.#clock.sleep(MODEL.queueCallMs);
    return received;
  }

  /** What Lambda deletes after an invocation, in batch calls. */
  async delete(messages: readonly ReceivedMessage[]): Promise<void> {
    const calls = batchCalls(messages.map(() => 0));
    for (const _call of calls) this.#bill('delete', 1);
    await this.#inner.delete(messages.map(({ receiptHandle }) => receiptHandle));
    this.#wake(1);
  }

  async #firstOf(max: number, deadline: number): Promise<readonly ReceivedMessage[]> {
    for (;;) {
      const received = await this.#inner.receive({ max, waitSeconds: 0 });
      const left = deadline - this.#clock.now();
      if (received.length > 0 || left <= 0) return received;
      await this.#wait(left);
    }
  }

  async #accept(messages: readonly OutgoingMessage[]): Promise<void> {
    await this.#inner.send(messages);
    this.#wake(messages.length);
  }

  async #wait(ms: number): Promise<void> {
    const abort = new AbortController();
    const wake = (): void => abort.abort();
    this.#waiting.add(wake);
    await this.#clock.sleep(ms, abort.signal);
    this.#waiting.delete(wake);
  }

  #wake(count: number): void {
    for (const wake of [...this.#waiting].slice(0, count)) {
      this.#waiting.delete(wake);
      wake();
    }
  }

  #bill(what: string, requests: number): void {
    this.#meter.add(this.#usage, `${this.name} ${what}`, requests);
  }
}
