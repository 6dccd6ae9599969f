import { describe, expect, it } from 'vitest';
import type { Item, ItemStore, Query } from '#shared/ports/item-store.ts';

/** Where the tests of a store find it, and partitions that none of them has used. */
export interface ItemStoreScope {
  readonly store: ItemStore;
  /** How conditions compare versions. The port wants `utf-8`; an emulator may do otherwise. */
  readonly versionOrder: 'utf-8' | 'utf-16';
  partition(): string;
}

async function readAll(store: ItemStore, query: Query): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.query(cursor === undefined ? query : { ...query, cursor });
    pages.push(page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

/** Sort keys of all pages of a query. */
export async function readSortKeys(store: ItemStore, query: Query): Promise<readonly string[]> {
  return (await readAll(store, query)).flat().map((item) => item.sk);
}

/** The promises of the port's queries. */
export function describeQueries(scope: ItemStoreScope): void {
  describe('query', () => {
    it('returns a partition in the order of the UTF-8 bytes of its sort keys', async () => {
      const pk = scope.partition();
      // UTF-16 would have U+10000 before U+FFFF.
      const ordered = ['A', 'R#01', 'R#1', 'R#10', 'R#2', 'a', 'é', '\uffff', '\u{10000}'];
      await scope.store.put(ordered.toReversed().map((sk) => ({ item: { pk, sk } })));
      await scope.store.put([{ item: { pk: `${pk}-other`, sk: 'B' } }]);
      expect(await readSortKeys(scope.store, { pk })).toEqual(ordered);
    });

    it.each<[string, Omit<Query, 'pk'>, readonly string[]]>([
      ['from a key, inclusive', { from: 'c' }, ['c', 'd', 'e']],
      ['to a key, inclusive', { to: 'c' }, ['a', 'b', 'c']],
      ['between two keys', { from: 'b', to: 'd' }, ['b', 'c', 'd']],
      ['of one key', { from: 'c', to: 'c' }, ['c']],
      ['between keys that do not exist', { from: 'aa', to: 'cc' }, ['b', 'c']],
      ['that holds nothing', { from: 'x' }, []],
    ])('returns the range %s, whole or in pages', async (_what, bounds, expected) => {
      const pk = scope.partition();
      await scope.store.put(['a', 'b', 'c', 'd', 'e'].map((sk) => ({ item: { pk, sk } })));
      expect(await readSortKeys(scope.store, { pk, ...bounds })).toEqual(expected);
      expect(await readSortKeys(scope.store, { pk, ...bounds, limit: 1 })).toEqual(expected);
      expect(await readSortKeys(scope.store, { pk, ...bounds, limit: 2 })).toEqual(expected);
    });

    it('returns nothing for a partition without items', async () => {
      expect(await readSortKeys(scope.store, { pk: scope.partition() })).toEqual([]);
    });

    it('returns whole items', async () => {
      const item = { pk: scope.partition(), sk: 'one', version: '1', body: 'text', expiresAt: 4e9 };
      await scope.store.put([{ item }]);
      expect((await scope.store.query({ pk: item.pk })).items).toEqual([item]);
    });

    it('puts no more items into a page than the limit', async () => {
      const pk = scope.partition();
      const keys = Array.from(
        { length: 25 },
        (_, index) => `item-${String(index).padStart(2, '0')}`,
      );
      await scope.store.put(keys.map((sk) => ({ item: { pk, sk } })));
      const pages = await readAll(scope.store, { pk, limit: 10 });
      expect(pages.flat().map((item) => item.sk)).toEqual(keys);
      expect(Math.max(...pages.map((page) => page.length))).toBe(10);
    });

    it('reads a partition of several megabytes to its end', async () => {
      const pk = scope.partition();
      const body = 'x'.repeat(300_000);
      const keys = ['1', '2', '3', '4', '5', '6', '7', '8'];
      await scope.store.put(keys.map((sk) => ({ item: { pk, sk, body } })));
      expect(await readSortKeys(scope.store, { pk })).toEqual(keys);
    });

    it('continues after the page before although its last item is gone', async () => {
      const pk = scope.partition();
      await scope.store.put(['a', 'b', 'c', 'd'].map((sk) => ({ item: { pk, sk } })));
      const first = await scope.store.query({ pk, limit: 2 });
      await scope.store.delete([{ key: { pk, sk: 'b' } }]);
      await scope.store.put([{ item: { pk, sk: 'aa' } }]);
      expect(first.cursor).toBeDefined();
      expect(await readSortKeys(scope.store, { pk, cursor: first.cursor ?? '' })).toEqual([
        'c',
        'd',
      ]);
    });

    it('sees every write that was acknowledged before it began', async () => {
      const pk = scope.partition();
      for (let count = 1; count <= 10; count += 1) {
        await scope.store.put([{ item: { pk, sk: `item-${count}` } }]);
        expect(await readSortKeys(scope.store, { pk })).toHaveLength(count);
      }
    });
  });
}
