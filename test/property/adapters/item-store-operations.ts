import fc from 'fast-check';
import type {
  Delete,
  Item,
  ItemKey,
  ItemStore,
  Page,
  Put,
  Query,
} from '#shared/ports/item-store.ts';

/** One call of an item store; a query stands for all of its pages. */
export type Operation =
  | { readonly type: 'put'; readonly puts: readonly Put[] }
  | { readonly type: 'delete'; readonly deletes: readonly Delete[] }
  | { readonly type: 'get'; readonly keys: readonly ItemKey[] }
  | { readonly type: 'query'; readonly query: Query };

/** Around the surrogates, where UTF-16 and UTF-8 order text differently. */
export const VERSIONS = ['1', '2', '10', '\uffff', '\u{10000}'] as const;

// Few keys, so that they meet.
const sortKey = fc.constantFrom('A', 'R#1', 'R#10', 'R#2', 'a', 'é', '\uffff', '\u{10000}');
const key: fc.Arbitrary<ItemKey> = fc.record({ pk: fc.constantFrom('p', 'q'), sk: sortKey });
const body = fc.oneof(
  fc.constantFrom('', 'text', 'ü\u{1f680}', 'x'.repeat(390_000)),
  fc.uint8Array({ maxLength: 8 }),
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

function putsOf(version: fc.Arbitrary<string>): fc.Arbitrary<readonly Put[]> {
  const item: fc.Arbitrary<Item> = fc
    .tuple(key, fc.record({ version, body, expiresAt: fc.nat() }, { requiredKeys: [] }))
    .map(([itemKey, attributes]) => ({ ...itemKey, ...attributes }));
  const condition = fc.oneof(
    fc.constantFrom({ type: 'absent' } as const, { type: 'newer' } as const),
    version.map((text) => ({ type: 'unchanged', version: text }) as const),
  );
  return fc.uniqueArray(fc.oneof(fc.record({ item }), fc.record({ item, condition })), {
    maxLength: 8,
    selector: (put) => `${put.item.pk} ${put.item.sk}`,
  });
}

function deletesOf(version: fc.Arbitrary<string>): fc.Arbitrary<readonly Delete[]> {
  return fc.uniqueArray(fc.oneof(fc.record({ key }), fc.record({ key, version })), {
    maxLength: 3,
    selector: (one) => `${one.key.pk} ${one.key.sk}`,
  });
}

/** Sequences of operations on two partitions, with versions among these; in the end both partitions are read. */
export function operations(versions: readonly string[]): fc.Arbitrary<readonly Operation[]> {
  const version = fc.constantFrom(...versions);
  const puts = putsOf(version);
  const deletes = deletesOf(version);
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('put' as const), puts }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), deletes }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('get' as const), keys: fc.array(key) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('query' as const), query }) },
  );
  const last = ['p', 'q'].map((pk): Operation => ({ type: 'query', query: { pk } }));
  return fc
    .array(operation, { maxLength: 25, size: 'max' })
    .map((sequence) => [...sequence, ...last]);
}

async function pages(store: ItemStore, first: Query): Promise<readonly Page[]> {
  const all = [await store.query(first)];
  for (let cursor = all[0]?.cursor; cursor !== undefined; cursor = all.at(-1)?.cursor)
    all.push(await store.query({ ...first, cursor }));
  return all;
}

/** What a store answers to an operation; to a query, all pages. */
export function apply(
  store: ItemStore,
  step: Operation,
): Promise<readonly (boolean | Item | undefined | Page)[]> {
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
