import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { journaled } from '#test/fakes/memory-journal.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';
import { describeChangeJournal, KEPT, KEYS } from './change-journal.ts';
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

describeChangeJournal('the fake in memory', () =>
  journaled(createMemoryItemStore(), { keys: KEYS, keptEntries: KEPT }),
);
