import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';
import { describeItemStore } from './item-store.ts';
import { describeMessageQueue } from './message-queue.ts';

describeItemStore('the fake in memory', async () => ({ store: createMemoryItemStore() }));

describeMessageQueue('the fake in memory', async (request) => {
  let count = 0;
  const options = {
    ...request,
    clock: Date.now,
    createMessageId: (): string => {
      count += 1;
      return `message-${count}`;
    },
  };
  const deadLetterQueue = createMemoryMessageQueue(options);
  return { queue: createMemoryMessageQueue({ ...options, deadLetterQueue }), deadLetterQueue };
});
