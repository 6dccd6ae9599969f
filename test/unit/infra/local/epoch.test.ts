import { describe, expect, it } from 'vitest';
import { nextEpoch } from '#infra/local/epoch.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const SOURCE = { type: 'wec', name: 'wec1' } as const;

describe('nextEpoch', () => {
  it('grows with every start of a forwarder, for each source by itself', async () => {
    const store = createMemoryItemStore();
    expect(await nextEpoch(store, SOURCE)).toBe(1);
    expect(await nextEpoch(store, SOURCE)).toBe(2);
    expect(await nextEpoch(store, { type: 'wds', name: 'wec1' })).toBe(1);
    expect(await nextEpoch(store, SOURCE)).toBe(3);
  });

  it('goes on beyond 9 and 10', async () => {
    const store = createMemoryItemStore();
    for (let epoch = 1; epoch <= 12; epoch += 1) expect(await nextEpoch(store, SOURCE)).toBe(epoch);
  });

  it('gives no epoch twice to forwarders that start at the same time', async () => {
    const store = createMemoryItemStore();
    const epochs = await Promise.all(Array.from({ length: 6 }, () => nextEpoch(store, SOURCE)));
    expect(epochs.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
