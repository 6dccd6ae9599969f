import { describe, expect, it } from 'vitest';
import { nextEpoch } from '#local/stack/epoch.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const SOURCE = { type: 'wec', name: 'wec1' } as const;
const SECOND = 2 ** 20;
const NOW_MS = 1_795_000_000_999;
const NOW = 1_795_000_000 * SECOND;

describe('nextEpoch', () => {
  it('grows with every start of a forwarder, for each source by itself', async () => {
    const store = createMemoryItemStore();
    expect(await nextEpoch(store, SOURCE, NOW_MS)).toBe(NOW);
    expect(await nextEpoch(store, SOURCE, NOW_MS)).toBe(NOW + 1);
    expect(await nextEpoch(store, { type: 'wds', name: 'wec1' }, NOW_MS)).toBe(NOW);
    expect(await nextEpoch(store, SOURCE, NOW_MS)).toBe(NOW + 2);
    expect(await nextEpoch(store, SOURCE, NOW_MS + 1)).toBe(NOW + SECOND);
  });

  it('grows also if the clock is set back', async () => {
    const store = createMemoryItemStore();
    await nextEpoch(store, SOURCE, NOW_MS);
    for (let start = 1; start <= 12; start += 1)
      expect(await nextEpoch(store, SOURCE, NOW_MS - 60_000)).toBe(NOW + start);
  });

  it.each([
    { program: 'made an hour ago, and taken over 7 times', madeS: -3600, transitions: 7 },
    { program: 'made in this second', madeS: 0, transitions: 0 },
    { program: 'of a cluster whose clock is ahead', madeS: 3600, transitions: 7 },
  ])('is greater than that of a program with a Lease $program', async ({ madeS, transitions }) => {
    const store = createMemoryItemStore();
    const epoch = (1_795_000_000 + madeS) * SECOND + transitions;
    await store.put([{ item: heartbeatItem(SOURCE, { epoch, sequence: 9 }, NOW_MS) }]);
    const next = await nextEpoch(store, SOURCE, NOW_MS);
    expect(next).toBeGreaterThan(epoch);
    expect(next).toBeGreaterThanOrEqual(NOW);
    expect(Number.isSafeInteger(next)).toBe(true);
    expect(await nextEpoch(store, { ...SOURCE, name: 'wec2' }, NOW_MS)).toBe(NOW);
  });

  it('gives no epoch twice to forwarders that start at the same time', async () => {
    const store = createMemoryItemStore();
    const epochs = await Promise.all(
      Array.from({ length: 6 }, () => nextEpoch(store, SOURCE, NOW_MS)),
    );
    expect(epochs.toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((start) => NOW + start));
  });
});
