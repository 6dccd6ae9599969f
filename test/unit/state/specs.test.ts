import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

describe('specs', () => {
  it('are stored once, under one hash for equal content, and read by any process', async () => {
    const store = createMemoryItemStore();
    let puts = 0;
    const counting: ItemStore = {
      ...store,
      put: (all) => {
        puts += 1;
        return store.put(all);
      },
    };
    const specs = createSpecStore(counting);
    const [a, b, c] = await specs.put([{ x: 1, y: 2 }, { y: 2, x: 1 }, { x: 2 }]);
    expect(a).toBe(b);
    expect(puts).toBe(2);
    const read = await createSpecStore(store).get([a ?? '', c ?? '', a ?? '']);
    expect([...read.values()]).toEqual([{ x: 1, y: 2 }, { x: 2 }]);
  });

  it('that are not stored are left out', async () => {
    const specs = createSpecStore(createMemoryItemStore());
    expect((await specs.get(['none'])).size).toBe(0);
  });

  it('that are too large for an item have a hash, but are not stored', async () => {
    const store = createMemoryItemStore();
    const [hash = ''] = await createSpecStore(store).put([randomBytes(600_000).toString('base64')]);
    expect(hash).not.toBe('');
    expect((await createSpecStore(store).get([hash])).size).toBe(0);
  });

  it('are read from the store once', async () => {
    const store = createMemoryItemStore();
    const [hash = ''] = await createSpecStore(store).put([{ x: 1 }]);
    let gets = 0;
    const specs = createSpecStore({
      ...store,
      get: (keys) => {
        gets += 1;
        return store.get(keys);
      },
    });
    await specs.get([hash]);
    expect((await specs.get([hash])).get(hash)).toEqual({ x: 1 });
    expect(gets).toBe(1);
  });
});
