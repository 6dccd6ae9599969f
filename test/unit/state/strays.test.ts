import { beforeEach, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type Applied, type Head, readHeadAndApplied } from '#shared/state/head.ts';
import { forgetStrays, putStrays, readNoted, readStrays } from '#shared/state/strays.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const PK = 'W#wds1/apps/deployments/shop/web';
const ONE = { namespace: 'shop', name: 'one' };
const TWO = { namespace: 'shop', name: 'two' };

let store: ItemStore;
let head: Head;
let applied: Applied;
beforeEach(async () => {
  store = createMemoryItemStore();
  const before = await readHeadAndApplied(store, PK);
  head = { ...before.head, awaits: ['wec/a'] };
  applied = before.applied;
});

const read = (found: { head: Head; applied: Applied } = { head, applied }) =>
  readStrays(store, { pk: PK, ...found });

it('are there when the subject is first written, each once', async () => {
  await putStrays(store, { pk: PK }, [TWO, ONE, TWO]);
  await putStrays(store, { pk: PK }, [ONE]);
  expect(await read()).toEqual([ONE, TWO]);
  expect(await read({ head: { ...head, awaits: [] }, applied })).toEqual([ONE, TWO]);
});

it('are there while the first write has begun and not been recorded', async () => {
  await putStrays(store, { pk: PK }, [ONE]);
  expect(await read({ head, applied: { ...applied, revision: 1 } })).toEqual([ONE]);
});

it('are those of the subject alone', async () => {
  await putStrays(store, { pk: `${PK}-2` }, [ONE]);
  expect(await read()).toEqual([]);
});

it('are all found, however many there are', async () => {
  const many = Array.from({ length: 2_500 }, (_one, index) => ({
    namespace: 'shop',
    name: `one-${String(index).padStart(4, '0')}`,
  }));
  await putStrays(store, { pk: PK }, many);
  expect(await read()).toEqual(many);
});

it('are not looked for if nothing was awaited, or something is applied', async () => {
  await putStrays(store, { pk: PK }, [ONE]);
  const { awaits: _awaits, ...settled } = head;
  expect(await read({ head: settled, applied })).toEqual([]);
  expect(await read({ head, applied: { ...applied, revision: 2, hash: 'h' } })).toEqual([]);
});

it('that have been checked are forgotten, and no others', async () => {
  await putStrays(store, { pk: PK }, [ONE, TWO]);
  await forgetStrays(store, { pk: PK }, [ONE]);
  expect(await read()).toEqual([TWO]);
  await forgetStrays(store, { pk: PK }, []);
  expect(await read()).toEqual([TWO]);
});

it('of a subject that is set aside are a list of their own', async () => {
  const aside = { pk: PK, list: 'set-aside' } as const;
  await putStrays(store, aside, [ONE, TWO]);
  expect(await read()).toEqual([]);
  expect(await readNoted(store, 'set-aside', PK)).toEqual([ONE, TWO]);
  await forgetStrays(store, aside, [ONE]);
  expect(await readNoted(store, 'set-aside', PK)).toEqual([TWO]);
});
