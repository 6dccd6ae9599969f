import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { histories } from '#test/histories.ts';
import { apply, operations, VERSIONS } from './item-store-operations.ts';

describe('the item store in SQLite', () => {
  const database = openSqliteDatabase(':memory:');
  const truncate = database.prepare('DELETE FROM items');
  afterAll(() => database.close());

  it('answers every sequence of operations as the fake in memory does', async () => {
    await fc.assert(
      fc.asyncProperty(operations(VERSIONS), async (sequence) => {
        truncate.run();
        const sqlite = createSqliteItemStore(database);
        const memory = createMemoryItemStore();
        for (const step of sequence)
          expect(await apply(sqlite, step)).toStrictEqual(await apply(memory, step));
      }),
      { numRuns: histories({ first: 50, all: 150 }) },
    );
  });
});
