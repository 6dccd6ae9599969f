import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putPart, readParts, removePartsBefore } from '#shared/state/parts.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const PK = 'W#a';
const NAME = { pk: PK, layoutRevision: 1 };
const FIRST = { shard: 3, revision: 0, fingerprint: 'f', part: [1] };

describe('stored parts', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });

  it('are read by shard, page by page, of one layout revision', async () => {
    await putPart(store, NAME, FIRST);
    await putPart(store, NAME, { ...FIRST, shard: 12, part: [2] });
    await putPart(store, { ...NAME, layoutRevision: 2 }, { ...FIRST, part: [3] });
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    expect(await readParts(paged, NAME)).toEqual(
      new Map([
        [3, { fingerprint: 'f', part: [1], revision: 1 }],
        [12, { fingerprint: 'f', part: [2], revision: 1 }],
      ]),
    );
  });

  it('take only the revision that follows the one that was read', async () => {
    expect(await putPart(store, NAME, { ...FIRST, revision: 1 })).toBe('outdated');
    expect(await putPart(store, NAME, FIRST)).toBe('stored');
    expect(await putPart(store, NAME, FIRST)).toBe('outdated');
    expect(await putPart(store, NAME, { ...FIRST, revision: 1, part: [9] })).toBe('stored');
    expect((await readParts(store, NAME)).get(3)).toEqual({
      fingerprint: 'f',
      part: [9],
      revision: 2,
    });
  });

  it('that are too large are noted without content, so that they always count as outdated', async () => {
    const part = [randomBytes(600_000).toString('base64')];
    expect(await putPart(store, NAME, { ...FIRST, part })).toBe('too-large');
    expect((await readParts(store, NAME)).get(3)).toEqual({ fingerprint: '', revision: 1 });
    expect(await putPart(store, NAME, { ...FIRST, revision: 1 })).toBe('stored');
    expect((await readParts(store, NAME)).get(3)?.part).toEqual([1]);
  });

  it('of earlier eras are removed, page by page', async () => {
    for (const layoutRevision of [0, 1, 2, 10])
      for (const shard of [0, 1])
        await putPart(store, { pk: PK, layoutRevision }, { ...FIRST, shard });
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    await removePartsBefore(paged, { pk: PK, layoutRevision: 2 });
    const sizes = [0, 1, 2, 10].map(
      async (layoutRevision) => (await readParts(store, { pk: PK, layoutRevision })).size,
    );
    expect(await Promise.all(sizes)).toEqual([0, 0, 2, 2]);
    await removePartsBefore(store, { pk: PK, layoutRevision: 2 });
    expect((await readParts(store, { pk: PK, layoutRevision: 2 })).size).toBe(2);
  });
});
