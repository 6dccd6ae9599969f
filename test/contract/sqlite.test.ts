import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { openSqliteJournal } from '#shared/adapters/sqlite/journal.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { describeChangeJournal, KEPT, KEYS } from './change-journal.ts';
import { describeItemStore } from './item-store.ts';
import { describeMessageQueue } from './message-queue.ts';
import { describeStatusSource } from './status-source.ts';

// One file for the store and all queues, as in the embedded stack.
const folder = mkdtempSync(join(tmpdir(), 'starfold-contract-'));
const database = openSqliteDatabase(join(folder, 'starfold.db'));
let queues = 0;

afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

describeItemStore('SQLite', async () => ({ store: createSqliteItemStore(database) }));

describeStatusSource('SQLite', async () => ({ store: createSqliteItemStore(database) }));

describeMessageQueue('SQLite', async (request) => {
  queues += 1;
  const name = `queue-${queues}`;
  const deadLetterQueue = `${name}-dead`;
  const options = { ...request, clock: Date.now };
  return {
    queue: createSqliteMessageQueue(database, { ...options, name, deadLetterQueue }),
    deadLetterQueue: createSqliteMessageQueue(database, { ...options, name: deadLetterQueue }),
  };
});

describeChangeJournal('SQLite', () => ({
  store: createSqliteItemStore(database),
  journal: openSqliteJournal(database, {
    keys: KEYS,
    keptEntries: KEPT,
    nowMs: Date.now(),
    lookMs: 5,
  }),
}));
