import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readObserved, writeObserved } from '#shared/state/observed.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const KEY = { pk: 'W#a', sk: 'OBJECT' };

function large(): { readonly data: string } {
  return { data: randomBytes(400_000).toString('base64') };
}

type Said = Parameters<typeof writeObserved>[1];

describe('what was observed', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });
  const write = (version: string, content: Parameters<typeof writeObserved>[1]['content']) =>
    writeObserved(store, { key: KEY, version, content });
  const read = async () => (await readObserved(store, [KEY]))[0];

  it('is nothing before the first word', async () => {
    expect(await read()).toBeUndefined();
  });

  it('is stored, known when told again, and outlives what is older', async () => {
    expect(await write('2', { a: 1 })).toEqual({ type: 'stored', contentVersion: '2' });
    expect(await write('2', { a: 1 })).toEqual({ type: 'known', contentVersion: '2' });
    expect(await write('1', { a: 0 })).toEqual({ type: 'older' });
    expect(await read()).toMatchObject({ version: '2', contentVersion: '2', content: { a: 1 } });
  });

  it('keeps the version at which the content became what it is', async () => {
    await write('1', { a: 1 });
    expect(await write('2', { a: 1 })).toEqual({ type: 'stored', contentVersion: '1' });
    expect(await read()).toMatchObject({ version: '2', contentVersion: '1' });
    expect(await write('3', { a: 2 })).toEqual({ type: 'stored', contentVersion: '3' });
  });

  it('records a deletion as undefined content, and may return', async () => {
    await write('1', { a: 1 });
    await writeObserved(store, { key: KEY, version: '2', content: undefined, expiresAt: 99 });
    expect(await read()).toMatchObject({ contentVersion: '2', content: undefined });
    expect((await store.get([KEY]))[0]?.expiresAt).toBe(99);
    await write('3', { a: 1 });
    expect(await read()).toMatchObject({ contentVersion: '3', content: { a: 1 } });
    expect((await store.get([KEY]))[0]?.expiresAt).toBeUndefined();
  });

  it('keeps what the first report or a listing has found until the object is deleted', async () => {
    const say = (version: string, found: string | undefined, more: Partial<Said> = {}) =>
      writeObserved(store, { key: KEY, version, content: 'c', found: () => found, ...more });
    await say('1', 'a');
    await say('2', 'b');
    expect((await read())?.found).toBe('a');
    await say('3', 'b', { isListed: true });
    await say('4', undefined, { isListed: true, content: 'other' });
    expect((await read())?.found).toBe('b');
    await say('5', 'c', { isListed: true, content: undefined });
    expect(await read()).not.toHaveProperty('found');
    await say('6', 'd');
    expect(await read()).not.toHaveProperty('found');
  });

  it('is read in the order of the keys', async () => {
    await write('1', 'one');
    const other = { pk: 'W#a', sk: 'SPEC' };
    const [none, one] = await readObserved(store, [other, KEY]);
    expect([none, one?.content]).toEqual([undefined, 'one']);
  });

  it('is in a document beside the item if it is large, and replaces the former one', async () => {
    const [first, second] = [large(), large()];
    await write('1', first);
    expect((await read())?.content).toEqual(first);
    await write('2', second);
    expect((await read())?.content).toEqual(second);
    await write('3', second);
    expect(await read()).toMatchObject({ version: '3', contentVersion: '2', content: second });
    const { items } = await store.query({ pk: KEY.pk });
    expect(items.map(({ sk }) => sk)).toEqual(['DOC#OBJECT#2#0000', 'DOC#OBJECT#2#0001', 'OBJECT']);
  });

  it('leaves no document behind when it becomes small or goes', async () => {
    await write('1', large());
    await write('2', { a: 1 });
    await write('3', large());
    await write('4', undefined);
    expect((await store.query({ pk: KEY.pk })).items.map(({ sk }) => sk)).toEqual(['OBJECT']);
  });

  it('is read again when its document was replaced between the two reads', async () => {
    const second = large();
    await write('1', large());
    let isFirst = true;
    const racing: ItemStore = {
      ...store,
      async get(keys) {
        const items = await store.get(keys);
        if (isFirst) {
          isFirst = false;
          await write('2', second);
        }
        return items;
      },
    };
    expect((await readObserved(racing, [KEY]))[0]).toMatchObject({ version: '2', content: second });
  });

  it.each([
    { what: 'newer', other: '3', outcome: { type: 'older' }, stands: '3' },
    { what: 'older', other: '1', outcome: { type: 'stored', contentVersion: '2' }, stands: '2' },
    { what: 'as new', other: '2', outcome: { type: 'known', contentVersion: '2' }, stands: '2' },
  ])('is checked again if something $what is written first', async ({ other, outcome, stands }) => {
    let isFirst = true;
    const racing: ItemStore = {
      ...store,
      async put(puts) {
        if (isFirst) {
          isFirst = false;
          await write(other, { by: other });
        }
        return store.put(puts);
      },
    };
    const mine = { key: KEY, version: '2', content: { by: '2' } };
    expect(await writeObserved(racing, mine)).toEqual(outcome);
    expect(await read()).toMatchObject({ version: stands, content: { by: stands } });
  });
});
