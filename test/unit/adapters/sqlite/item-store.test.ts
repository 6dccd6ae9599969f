import { afterEach, describe, expect, it } from 'vitest';
import { itemBytes } from '#shared/adapters/item-size.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { Item } from '#shared/ports/item-store.ts';

const database = openSqliteDatabase(':memory:');
const store = createSqliteItemStore(database);
afterEach(() => database.prepare('DELETE FROM items').run());

describe('itemBytes', () => {
  it.each<[Item, number]>([
    [{ pk: 'ab', sk: 'c' }, 7],
    [{ pk: 'ä', sk: '\u{1f680}' }, 10],
    [{ pk: '', sk: '', version: '1' }, 12],
    [{ pk: '', sk: '', body: 'ü' }, 10],
    [{ pk: '', sk: '', body: new Uint8Array(3) }, 11],
    [{ pk: '', sk: '', expiresAt: 1_700_000_001 }, 4 + 9 + 6],
    [{ pk: '', sk: '', expiresAt: 1_700_000_000 }, 4 + 9 + 2],
    [{ pk: '', sk: '', expiresAt: -1 }, 4 + 9 + 3],
  ])('counts %o as DynamoDB does: %i', (item, bytes) => {
    expect(itemBytes(item)).toBe(bytes);
  });
});

describe('the item store in SQLite', () => {
  it('ends a page before it has more than 1 MB, as DynamoDB does', async () => {
    const body = 'x'.repeat(300_000);
    const keys = ['1', '2', '3', '4', '5', '6', '7'];
    await store.put(keys.map((sk) => ({ item: { pk: 'p', sk, body } })));
    const first = await store.query({ pk: 'p' });
    expect(first.items.map((item) => item.sk)).toEqual(['1', '2', '3']);
    const second = await store.query({ pk: 'p', cursor: first.cursor ?? '' });
    expect(second.items.map((item) => item.sk)).toEqual(['4', '5', '6']);
  });

  it('has no cursor when nothing is left', async () => {
    await store.put(['1', '2'].map((sk) => ({ item: { pk: 'p', sk } })));
    expect(await store.query({ pk: 'p', limit: 2 })).not.toHaveProperty('cursor');
  });

  it('drops expired items when it is given the time', async () => {
    const items = [
      { pk: 'p', sk: '1', expiresAt: 99 },
      { pk: 'p', sk: '2', expiresAt: 100 },
      { pk: 'p', sk: '3', expiresAt: 101 },
      { pk: 'p', sk: '4' },
    ];
    await store.put(items.map((item) => ({ item })));
    expect(await store.removeExpired(100)).toBe(2);
    expect((await store.query({ pk: 'p' })).items).toEqual(items.slice(2));
  });
});
