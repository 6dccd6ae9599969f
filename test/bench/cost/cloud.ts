import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { BilledQueue } from './billed-queue.ts';
import { createBilledStore, type ReadItems, TableSizes } from './billed-store.ts';
import { EventClock } from './event-clock.ts';
import { LambdaFunction, type MetricNames } from './lambda-function.ts';
import { Meter } from './meter.ts';

const START_MS = Date.UTC(2026, 0, 1);
/** The role of all forwarders, as long as such identifiers are. */
export const PRINCIPAL = 'AROAEXAMPLEFORWARDERS';

/** Queues that feed a function. */
export type QueueName = 'events' | 'dirty' | 'hints';

/** All of them, in the order in which work passes through them. */
export const QUEUES: readonly QueueName[] = ['events', 'dirty', 'hints'];

/** One queue as it is, and as calls to it are billed. */
interface CloudQueue {
  readonly memory: MemoryMessageQueue;
  readonly billed: BilledQueue;
}

/** What AWS holds of the system, in memory and under virtual time: the table and the queues, with their meter. */
export class Cloud {
  readonly clock = new EventClock(START_MS);
  readonly meter = new Meter();
  readonly read: ReadItems = { rows: 0, parts: 0, others: 0 };
  readonly metrics: MetricNames = new Set();
  readonly sizes = new TableSizes();
  readonly queues: Readonly<Record<QueueName, CloudQueue>>;
  readonly deadLetters: MessageQueue;
  /** The table, unbilled. */
  readonly store: ItemStore;
  readonly #database = openSqliteDatabase(':memory:');
  #ids = 0;

  constructor() {
    this.store = createSqliteItemStore(this.#database);
    this.queues = {
      events: this.#queue('events', false),
      dirty: this.#queue('dirty', true),
      hints: this.#queue('hints', true),
    };
    this.deadLetters = this.#memoryQueue(false);
  }

  /** An identifier that was not given before. */
  newId(kind: string): string {
    this.#ids += 1;
    return `${kind}-${this.#ids}`;
  }

  /** A function with nothing on its bill yet. */
  lambda(name: string, memoryMb: number): LambdaFunction {
    return new LambdaFunction({ name, memoryMb }, this);
  }

  /** The table as one function sees and pays it. */
  storeOf(lambda: LambdaFunction): ItemStore {
    return createBilledStore(this.store, lambda, this);
  }

  /** Messages that wait in all queues or are in flight. */
  async messages(): Promise<number> {
    const sizes = await Promise.all(QUEUES.map((name) => this.queues[name].billed.size()));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Forgets what was counted so far. */
  reset(): void {
    this.meter.reset();
    this.metrics.clear();
    Object.assign(this.read, { rows: 0, parts: 0, others: 0 });
  }

  close(): void {
    this.#database.close();
  }

  #queue(name: QueueName, fifo: boolean): CloudQueue {
    const memory = this.#memoryQueue(fifo);
    return { memory, billed: new BilledQueue({ name, fifo, inner: memory }, this) };
  }

  #memoryQueue(fifo: boolean): MemoryMessageQueue {
    return createMemoryMessageQueue({
      fifo,
      visibilityTimeoutSeconds: 300,
      maxReceiveCount: 20,
      clock: this.clock.now,
      createMessageId: () => this.newId('message'),
      senderId: `${PRINCIPAL}:forwarder`,
    });
  }
}
