import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ItemTooLargeError } from '#shared/errors.ts';
import { type Item, type ItemStore, MAX_ITEM_BYTES } from '#shared/ports/item-store.ts';
import { describeConditions } from './item-store-conditions.ts';
import { describeQueries, type ItemStoreScope, readSortKeys } from './item-store-query.ts';

/** A store to try, and how to get rid of it. */
export interface MadeItemStore {
  readonly store: ItemStore;
  readonly close?: () => Promise<void>;
}

const ITEM_NAMES_BYTES = 'pk'.length + 'sk'.length + 'body'.length;

/**
 * The promises of the item-store port, as tests. They use partitions that are new for each test, so the store need not be
 * empty. `versionOrder` is for an emulator that does not compare versions as the port wants it, by their UTF-8 bytes.
 */
export function describeItemStore(
  name: string,
  make: () => Promise<MadeItemStore>,
  versionOrder: ItemStoreScope['versionOrder'] = 'utf-8',
): void {
  describe(`${name} as an item store`, () => {
    let made: MadeItemStore;
    let store: ItemStore;
    let partitions = 0;
    const run = Date.now();
    const partition = (): string => {
      partitions += 1;
      return `contract/${run}/${partitions}`;
    };

    const scope: ItemStoreScope = {
      partition,
      versionOrder,
      get store(): ItemStore {
        return store;
      },
    };

    beforeAll(async () => {
      made = await make();
      store = made.store;
    });
    afterAll(async () => {
      await made.close?.();
    });

    describe('put and get', () => {
      it.each<[string, Omit<Item, 'pk' | 'sk'>]>([
        ['nothing but its key', {}],
        ['a version', { version: '0001' }],
        ['a text', { body: '{"text":"schön \u{1f680}\\n"}' }],
        ['an empty text', { body: '' }],
        ['bytes', { body: new Uint8Array([0, 255, 128, 10]) }],
        ['no bytes', { body: new Uint8Array() }],
        ['everything', { version: '7', body: 'text', expiresAt: 4_102_444_800 }],
      ])('returns an item with %s as it was put', async (_what, attributes) => {
        const item = { pk: partition(), sk: 'one', ...attributes };
        expect(await store.put([{ item }])).toEqual([true]);
        const [found] = await store.get([item]);
        expect({ ...found, body: found?.body && bodyText(found) }).toEqual({
          ...item,
          body: item.body && bodyText(item),
        });
        expect(typeof found?.body).toBe(typeof item.body);
        expect(Object.keys(found ?? {}).sort()).toEqual(Object.keys(item).sort());
      });

      it('keeps an item as it was when its bytes were put, not as they became', async () => {
        const body = new Uint8Array([1, 2, 3]);
        const key = { pk: partition(), sk: 'one' };
        await store.put([{ item: { ...key, body } }]);
        body.fill(9);
        const [found] = await store.get([key]);
        expect([...((found?.body ?? []) as Uint8Array)]).toEqual([1, 2, 3]);
      });

      it('replaces the whole item when there is no condition', async () => {
        const key = { pk: partition(), sk: 'one' };
        await store.put([
          { item: { ...key, version: '2', body: 'old', expiresAt: 4_102_444_800 } },
        ]);
        expect(await store.put([{ item: { ...key, version: '1' } }])).toEqual([true]);
        expect(await store.get([key])).toEqual([{ ...key, version: '1' }]);
      });

      it('returns items in the order of the keys, undefined where there is none', async () => {
        const pk = partition();
        const keys = Array.from({ length: 250 }, (_, index) => ({ pk, sk: `item-${index}` }));
        const even = keys.filter((_, index) => index % 2 === 0);
        await store.put(even.map((item) => ({ item })));
        const reversed = keys.toReversed();
        const found = await store.get(reversed);
        expect(found.map((item) => item?.sk)).toEqual(
          reversed.map((key) => (even.includes(key) ? key.sk : undefined)),
        );
      });

      it('returns an item as often as its key is asked for', async () => {
        const key = { pk: partition(), sk: 'one' };
        await store.put([{ item: key }]);
        expect(await store.get([key, key])).toEqual([key, key]);
      });

      it('does nothing when there is nothing to do', async () => {
        expect(await store.get([])).toEqual([]);
        expect(await store.put([])).toEqual([]);
        expect(await store.delete([])).toEqual([]);
      });

      it('keeps partitions and sort keys apart', async () => {
        const pk = partition();
        await store.put([
          { item: { pk, sk: 'a', body: '1' } },
          { item: { pk: `${pk}a`, sk: 'a', body: '2' } },
          { item: { pk, sk: 'A', body: '3' } },
        ]);
        const found = await store.get([
          { pk: `${pk}a`, sk: 'a' },
          { pk, sk: 'A' },
          { pk, sk: 'a' },
          { pk, sk: 'aa' },
        ]);
        expect(found.map((item) => item?.body)).toEqual(['2', '3', '1', undefined]);
      });

      it('takes an item of exactly the largest size', async () => {
        const pk = partition();
        const body = 'x'.repeat(MAX_ITEM_BYTES - ITEM_NAMES_BYTES - pk.length - 'one'.length);
        await store.put([{ item: { pk, sk: 'one', body } }]);
        const [found] = await store.get([{ pk, sk: 'one' }]);
        expect(found?.body?.length).toBe(body.length);
      });

      it('refuses an item that is too large by name, and writes none of the others', async () => {
        const pk = partition();
        const body = 'ü'.repeat(MAX_ITEM_BYTES / 2);
        const error = await store
          .put([{ item: { pk, sk: 'fits' } }, { item: { pk, sk: 'large', body } }])
          .catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(ItemTooLargeError);
        expect(error).toMatchObject({ pk, sk: 'large' });
        expect(await readSortKeys(store, { pk })).toEqual([]);
      });
    });

    describeConditions(scope);

    describe('delete', () => {
      it('deletes an item, and an absent one too', async () => {
        const key = { pk: partition(), sk: 'one' };
        await store.put([{ item: { ...key, version: '1' } }]);
        expect(await store.delete([{ key }])).toEqual([true]);
        expect(await store.get([key])).toEqual([undefined]);
        expect(await store.delete([{ key }])).toEqual([true]);
      });

      it.each<[string, Partial<Item> | undefined, boolean]>([
        ['deletes the version that it names', { version: '1' }, true],
        ['leaves another version', { version: '2' }, false],
        ['leaves an item without a version', {}, false],
        ['does not hold for an absent item', undefined, false],
      ])('with a version %s', async (_what, stored, holds) => {
        const key = { pk: partition(), sk: 'one' };
        const item = stored && { ...key, ...stored };
        if (item) await store.put([{ item }]);
        expect(await store.delete([{ key, version: '1' }])).toEqual([holds]);
        expect(await store.get([key])).toEqual([holds ? undefined : item]);
      });

      it('says for each of many whether its condition held', async () => {
        const pk = partition();
        const items = Array.from({ length: 60 }, (_, index) => ({
          pk,
          sk: `item-${index}`,
          version: String(index % 3),
        }));
        await store.put(items.map((item) => ({ item })));
        const held = await store.delete(items.map((key) => ({ key, version: '0' })));
        expect(held).toEqual(items.map((item) => item.version === '0'));
        expect(await readSortKeys(store, { pk })).toHaveLength(40);
      });
    });

    describeQueries(scope);
  });
}

function bodyText(item: Omit<Item, 'pk' | 'sk'>): string {
  return typeof item.body === 'string' ? item.body : Buffer.from(item.body ?? []).toString('hex');
}
