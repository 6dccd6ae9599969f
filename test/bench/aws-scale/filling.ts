import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { itemBytes } from '#shared/adapters/item-size.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import type { Observability, SqsHandler } from '#shared/runtime/batch.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { QUEUES, type QueueName } from '#test/bench/cost/cloud.ts';
import type { EventClock } from '#test/bench/cost/event-clock.ts';
import type { Forwarder } from '#test/bench/cost/forwarder.ts';
import { createHandler } from '#test/bench/cost/functions.ts';
import type { QueueCalls } from './queue-calls.ts';
import type { TableWorld } from './table-model.ts';

/** Longer than SQS remembers an identifier. */
export const APART_MS = 301_000;
const REST_MS = 1_000;
const MAX_RECEIVED = 10;

/** What is filled. */
export interface FillingWorld {
  readonly clock: EventClock;
  readonly queues: Readonly<Record<QueueName, QueueCalls>>;
  readonly deadLetters: QueueCalls;
  readonly table: TableWorld;
  readonly wds: ObjectApi;
  readonly observability: (name: QueueName) => Observability;
}

/** The store without time and limits, which remembers the sizes of items. */
function unlimitedStore({ inner, sizes, onPut }: TableWorld): ItemStore {
  return {
    ...inner,
    put: async (puts) => {
      const took = await inner.put(puts);
      for (const { item } of puts.filter((_put, index) => took[index])) {
        sizes.set(item, itemBytes(item));
        onPut(item);
      }
      return took;
    },
  };
}

/** The handlers without time, limits and bill, before the first load is played. */
export class Filling {
  readonly #world: FillingWorld;
  readonly #handlers: Readonly<Record<QueueName, SqsHandler>>;

  constructor(world: FillingWorld) {
    const { clock, queues, deadLetters, table, wds, observability } = world;
    const store = unlimitedStore(table);
    const at = (queue: QueueCalls) => ({
      ...queue.sender('fill'),
      send: async (messages: readonly OutgoingMessage[]) => queue.accept(messages),
    });
    const handler = (name: QueueName): SqsHandler => {
      const own = observability(name);
      const to = { dirty: at(queues.dirty), hints: at(queues.hints), deadLetters: at(deadLetters) };
      const telemetry = createTelemetry(own);
      return createHandler(name, { ...to, store, clock: clock.now, telemetry, wds }, own);
    };
    this.#world = world;
    this.#handlers = {
      ...{ events: handler('events'), dirty: handler('dirty'), hints: handler('hints') },
    };
  }

  /** Handles everything, until no forwarder has anything to send. */
  async settle(forwarders: readonly Forwarder[]): Promise<void> {
    await this.#world.clock.run(APART_MS);
    for (;;) {
      while (await this.#moveOn(forwarders));
      if (forwarders.every(({ sendBuffer }) => sendBuffer.size === 0)) return;
      // Events of an object of a WDS rest for a second.
      await this.#world.clock.run(REST_MS);
    }
  }

  /** Records what waits, without aggregating it. */
  async recordOnly(): Promise<void> {
    while (await this.#handle('events'));
    const { model } = this.#world.queues.dirty;
    for (;;) {
      const messages = model.receive(MAX_RECEIVED);
      if (messages.length === 0) return;
      model.delete(messages.map(({ receiptHandle }) => receiptHandle));
    }
  }

  async #moveOn(forwarders: readonly Forwarder[]): Promise<boolean> {
    let moved = false;
    for (const forwarder of forwarders) moved = (await forwarder.flush()) || moved;
    for (const name of QUEUES) moved = (await this.#handle(name)) || moved;
    return moved;
  }

  async #handle(name: QueueName): Promise<boolean> {
    const { model } = this.#world.queues[name];
    const messages = model.receive(MAX_RECEIVED);
    if (messages.length === 0) return false;
    const context = localContext(name, messages[0]?.messageId ?? '');
    const { batchItemFailures } = await this.#handlers[name](sqsEvent(name, messages), context);
    if (batchItemFailures.length > 0)
      throw new Error(`${batchItemFailures.length} messages of ${name} failed`);
    model.delete(messages.map(({ receiptHandle }) => receiptHandle));
    return true;
  }
}
