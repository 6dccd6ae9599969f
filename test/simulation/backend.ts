import type { ItemStore } from '#shared/ports/item-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { eachQueue, type Queues, type SimulatedQueue, VISIBILITY_SECONDS } from './queues.ts';
import type { Scheduler } from './scheduler.ts';

/** What keeps the state and the messages of a simulated world. */
export interface Backend {
  readonly store: ItemStore;
  readonly queues: Queues;
}

/**
 * Makes the backend of one world, empty, under the world's clock.
 *
 * @param maxReceives after so many receipts a message is a dead letter
 */
export type MakeBackend = (scheduler: Scheduler, maxReceives: number) => Backend;

function simulated(queue: MemoryMessageQueue): MemoryMessageQueue & SimulatedQueue {
  return {
    ...queue,
    sentBy: (senderId) => ({
      ...queue,
      async send(messages) {
        for (const message of messages) queue.add(message, senderId);
      },
    }),
  };
}

/** A store and queues in memory. */
export const memoryBackend: MakeBackend = (scheduler, maxReceives) => {
  let messages = 0;
  const common = {
    visibilityTimeoutSeconds: VISIBILITY_SECONDS,
    maxReceiveCount: maxReceives,
    clock: () => scheduler.now,
    createMessageId: () => {
      messages += 1;
      return `message-${messages}`;
    },
  };
  return {
    store: createMemoryItemStore(),
    queues: eachQueue<MemoryMessageQueue & SimulatedQueue>((_name, fifo, deadLetterQueue) =>
      simulated(createMemoryMessageQueue({ ...common, fifo, deadLetterQueue })),
    ),
  };
};
