import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  type Applied,
  type Head,
  putApplied,
  putHead,
  putResult,
  readApplied,
  readHead,
  readHeadAndApplied,
  readResult,
  removeOldResults,
} from '#shared/state/head.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const PK = 'W#a';
const NO_HEAD: Head = {
  revision: 0,
  shards: 1,
  layoutRevision: 0,
  consumed: {},
  errorBindings: [],
};
const NOTHING: Applied = { revision: 0, hash: '', owned: {}, errorBindings: [], reported: [] };

describe('head and applied', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });

  it('are empty before anything was aggregated', async () => {
    expect(await readHead(store, PK)).toEqual(NO_HEAD);
    expect(await readApplied(store, PK)).toEqual(NOTHING);
    expect(await readHeadAndApplied(store, PK)).toEqual({ head: NO_HEAD, applied: NOTHING });
  });

  it('are stored apart from each other', async () => {
    const head = { ...NO_HEAD, revision: 1, hash: 'h' };
    const applied = { ...NOTHING, revision: 1, hash: 'h', reported: ['no'] };
    expect(await putHead(store, PK, head)).toBe(true);
    expect(await putApplied(store, PK, applied)).toBe(true);
    expect(await readHeadAndApplied(store, PK)).toEqual({ head, applied });
    expect([await readHead(store, PK), await readApplied(store, PK)]).toEqual([head, applied]);
  });

  it('take only the revision that follows the stored one', async () => {
    const at = (revision: number): Head => ({ ...NO_HEAD, revision });
    expect(await putHead(store, PK, at(2))).toBe(false);
    expect(await putHead(store, PK, at(1))).toBe(true);
    expect(await putHead(store, PK, at(1))).toBe(false);
    expect(await putHead(store, PK, at(3))).toBe(false);
    expect(await putHead(store, PK, at(2))).toBe(true);
    expect((await readHead(store, PK)).revision).toBe(2);
    expect(await putApplied(store, PK, { ...NOTHING, revision: 2 })).toBe(false);
  });
});

describe('a result', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });
  const put = async (revision: number, text: string): Promise<Head> => {
    const resultChunks = await putResult(store, PK, { revision, hash: `h${revision}`, text });
    return { ...NO_HEAD, revision, hash: `h${revision}`, resultRevision: revision, resultChunks };
  };

  it('is read from the place in its head, also in several chunks', async () => {
    const data = randomBytes(900_000).toString('base64');
    const head = await put(1, JSON.stringify({ data }));
    expect(head.resultChunks).toBeGreaterThan(1);
    expect(await readResult(store, PK, head)).toEqual({ data });
    const wrong = { ...head, hash: 'other' };
    expect(await readResult(store, PK, wrong)).toBeUndefined();
  });

  it.each<Partial<Head>>([{}, { hash: 'h' }, { hash: 'h', resultRevision: 1 }])(
    'is none for a head that says %o',
    async (partial) => {
      expect(await readResult(store, PK, { ...NO_HEAD, ...partial })).toBeUndefined();
    },
  );

  it('of an earlier revision is removed, that of a later one is not', async () => {
    const [first, second, third] = [await put(1, '1'), await put(2, '2'), await put(10, '3')];
    await removeOldResults(store, PK, second);
    const results = [first, second, third].map((head) => readResult(store, PK, head));
    expect(await Promise.all(results)).toEqual([undefined, 2, 3]);
  });

  it('is kept by a head that has none', async () => {
    const first = await put(1, '1');
    await removeOldResults(store, PK, NO_HEAD);
    expect(await readResult(store, PK, first)).toBe(1);
  });
});
