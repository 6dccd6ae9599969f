import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { Delete, Item, ItemKey, ItemStore, Put, Query } from '#shared/ports/item-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

// Few keys, so that they meet; around the surrogates, where UTF-16 and UTF-8 order text differently.
const sortKey = fc.constantFrom('A', 'R#1', 'R#10', 'R#2', 'a', 'é', '\uffff', '\u{10000}');
const key: fc.Arbitrary<ItemKey> = fc.record({ pk: fc.constantFrom('p', 'q'), sk: sortKey });
const version = fc.constantFrom('1', '2', '10', '\uffff', '\u{10000}');
const body = fc.oneof(
  fc.constantFrom('', 'text', 'ü\u{1f680}', 'x'.repeat(390_000)),
  fc.uint8Array({ maxLength: 8 }),
);

const item: fc.Arbitrary<Item> = fc
  .tuple(key, fc.record({ version, body, expiresAt: fc.nat() }, { requiredKeys: [] }))
  .map(([itemKey, attributes]) => ({ ...itemKey, ...attributes }));
const condition = fc.oneof(
  fc.constantFrom({ type: 'absent' } as const, { type: 'newer' } as const),
  version.map((text) => ({ type: 'unchanged', version: text }) as const),
);
const puts: fc.Arbitrary<readonly Put[]> = fc.uniqueArray(
  fc.oneof(fc.record({ item }), fc.record({ item, condition })),
  { maxLength: 8, selector: (put) => `${put.item.pk} ${put.item.sk}` },
);
const deletes: fc.Arbitrary<readonly Delete[]> = fc.uniqueArray(
  fc.oneof(fc.record({ key }), fc.record({ key, version })),
  { maxLength: 3, selector: (one) => `${one.key.pk} ${one.key.sk}` },
);
const query: fc.Arbitrary<Query> = fc
  .tuple(
    fc.constantFrom('p', 'q'),
    fc.record(
      { from: sortKey, to: sortKey, limit: fc.integer({ min: 1, max: 5 }) },
      { requiredKeys: [] },
    ),
  )
  .map(([pk, bounds]) => ({ pk, ...bounds }));

type Operation =
  | { readonly type: 'put'; readonly puts: readonly Put[] }
  | { readonly type: 'delete'; readonly deletes: readonly Delete[] }
  | { readonly type: 'get'; readonly keys: readonly ItemKey[] }
  | { readonly type: 'query'; readonly query: Query };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('put' as const), puts }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), deletes }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('get' as const), keys: fc.array(key) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('query' as const), query }) },
);

async function pages(store: ItemStore, first: Query): Promise<readonly unknown[]> {
  const all = [await store.query(first)];
  for (let cursor = all[0]?.cursor; cursor !== undefined; cursor = all.at(-1)?.cursor)
    all.push(await store.query({ ...first, cursor }));
  return all;
}

function apply(store: ItemStore, step: Operation): Promise<unknown> {
  switch (step.type) {
    case 'put':
      return store.put(step.puts);
    case 'delete':
      return store.delete(step.deletes);
    case 'get':
      return store.get(step.keys);
    case 'query':
      return pages(store, step.query);
  }
}

describe('the item store in SQLite', () => {
  const database = openSqliteDatabase(':memory:');
  const truncate = database.prepare('DELETE FROM items');
  afterAll(() => database.close());

  it('answers every sequence of operations as the fake in memory does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25, size: 'max' }), async (operations) => {
        truncate.run();
        const sqlite = createSqliteItemStore(database);
        const memory = createMemoryItemStore();
        const last = ['p', 'q'].map((pk) => ({ type: 'query', query: { pk } }) as const);
        for (const step of [...operations, ...last])
          expect(await apply(sqlite, step)).toStrictEqual(await apply(memory, step));
      }),
      { numRuns: 150 },
    );
  });
});
