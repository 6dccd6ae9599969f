import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import { batchCalls, queueRequests } from '#test/bench/cost/billing-rules.ts';
import type { EventClock } from '#test/bench/cost/event-clock.ts';
import type { Meter } from '#test/bench/cost/meter.ts';
import { AWS } from './assumptions.ts';
import type { Environment } from './environment.ts';
import { drawLatency } from './seeded.ts';
import { SqsModel } from './sqs-model.ts';

/** As the adapter has it (shared/adapters/sqs/batches.ts). */
const PARALLEL_BATCHES = 4;

/** What the calls of a queue need of the world. */
export interface QueueWorld {
  readonly clock: EventClock;
  readonly meter: Meter;
  readonly random: () => number;
  readonly newId: (kind: string) => string;
}

/** A queue as it is deployed. */
export interface QueueOptions {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  readonly senderId: string;
}

function bytesOf(messages: readonly { readonly body: string }[]): readonly number[] {
  return messages.map(({ body }) => Buffer.byteLength(body));
}

function total(bytes: readonly number[]): number {
  return bytes.reduce((sum, one) => sum + one, 0);
}

/** Rounds of calls: four at a time, and of a group one message in each round. */
function roundsOf(messages: readonly OutgoingMessage[], calls: number, fifo: boolean): number {
  const largest = fifo
    ? Math.max(
        0,
        ...[...Map.groupBy(messages, ({ group }) => group).values()].map((of) => of.length),
      )
    : 0;
  return Math.max(Math.ceil(calls / PARALLEL_BATCHES), largest);
}

/** A queue whose calls take their time and are billed. Receives are those of Lambda's pollers. */
export class QueueCalls {
  readonly name: string;
  readonly model: SqsModel;
  readonly #world: QueueWorld;
  readonly #usage: 'SQS standard requests' | 'SQS FIFO requests';
  readonly #fifo: boolean;
  readonly #waiting = new Set<() => void>();

  constructor({ name, ...options }: QueueOptions, world: QueueWorld) {
    this.name = name;
    this.#world = world;
    this.#fifo = options.fifo;
    this.#usage = options.fifo ? 'SQS FIFO requests' : 'SQS standard requests';
    const createMessageId = (): string => world.newId('message');
    this.model = new SqsModel({ ...options, clock: world.clock.now, createMessageId });
  }

  /** The queue as a sender sees it: a function in an environment, or a forwarder. */
  sender(owner: string, environment?: Environment): MessageQueue {
    const refuse = (): never => {
      throw new Error('only pollers receive');
    };
    return {
      send: async (messages) => {
        const sizes = bytesOf(messages);
        const calls = batchCalls(sizes);
        for (const bytes of calls) this.#bill(`send by ${owner}`, queueRequests(bytes));
        const ms = roundsOf(messages, calls.length, this.#fifo) * this.#latency();
        if (environment === undefined) await this.#world.clock.sleep(ms);
        else await environment.call(ms, total(sizes));
        this.accept(messages);
      },
      receive: refuse,
      delete: refuse,
      changeVisibility: async (handles, seconds) => {
        for (const _call of batchCalls(handles.map(() => 0))) this.#bill('change visibility', 1);
        await this.#world.clock.sleep(this.#latency());
        this.model.hide(handles, seconds * 1_000);
        this.#wakeLater();
      },
    };
  }

  /** Takes messages at once, unbilled. */
  accept(messages: readonly OutgoingMessage[]): void {
    this.model.send(messages);
    this.#wake(messages.length);
  }

  /** One ReceiveMessage call, which waits for the first message. */
  async receive(max: number, waitMs: number): Promise<readonly ReceivedMessage[]> {
    const received = await this.#firstOf(max, this.#world.clock.now() + waitMs);
    const isEmpty = received.length === 0;
    this.#bill(isEmpty ? 'empty receive' : 'receive', queueRequests(total(bytesOf(received))));
    if (received.length === max) this.#wake(1);
    if (!isEmpty) await this.#world.clock.sleep(this.#latency());
    return received;
  }

  /** What Lambda deletes after an invocation. */
  async delete(messages: readonly ReceivedMessage[]): Promise<void> {
    for (const _call of batchCalls(messages.map(() => 0))) this.#bill('delete', 1);
    await this.#world.clock.sleep(this.#latency());
    this.model.delete(messages.map(({ receiptHandle }) => receiptHandle));
    this.#wake(messages.length);
  }

  #latency(): number {
    return drawLatency(AWS.sqs, this.#world.random);
  }

  async #firstOf(max: number, deadline: number): Promise<readonly ReceivedMessage[]> {
    for (;;) {
      const received = this.model.receive(max);
      const now = this.#world.clock.now();
      if (received.length > 0 || now >= deadline) return received;
      const visible = Math.max(now + 1, this.model.nextVisibleMs ?? deadline);
      await this.#wait(Math.min(deadline, visible) - now);
    }
  }

  async #wait(ms: number): Promise<void> {
    const abort = new AbortController();
    const wake = (): void => abort.abort();
    this.#waiting.add(wake);
    await this.#world.clock.sleep(ms, abort.signal);
    this.#waiting.delete(wake);
  }

  /** A message may become visible earlier than those who wait believe. */
  #wakeLater(): void {
    this.#wake(this.#waiting.size);
  }

  #wake(count: number): void {
    for (const wake of [...this.#waiting].slice(0, count)) {
      this.#waiting.delete(wake);
      wake();
    }
  }

  #bill(what: string, requests: number): void {
    this.#world.meter.add(this.#usage, `${this.name} ${what}`, requests);
  }
}
