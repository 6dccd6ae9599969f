import { beforeEach, describe, expect, it } from 'vitest';
import type { FleetSubject } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  countDifferences,
  type FoundDifferences,
  putDifferences,
  readDifferences,
} from '#shared/state/fleet/differences.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

function subject(name: string, upstream = 'rancher'): FleetSubject {
  return { type: 'fleet', upstream, resource: 'bundles', namespace: 'fleet-default', name };
}

function found(revision: number, more: Partial<FoundDifferences> = {}): FoundDifferences {
  const differences = [{ field: 'status.unavailable', fleet: '1', starfold: null }];
  return { revision, nowMs: 1000 * revision, total: 1, differences, ...more };
}

const NONE = { total: 0, differences: [] };

describe('stored differences', () => {
  let store: ItemStore;
  let puts: number;
  beforeEach(() => {
    const memory = createMemoryItemStore();
    puts = 0;
    store = {
      ...memory,
      put: (items) => {
        puts += 1;
        return memory.put(items);
      },
    };
  });
  const all = async (upstream = 'rancher') => (await readDifferences(store, upstream)).objects;

  it('are kept by object, each management cluster for itself', async () => {
    await putDifferences(store, subject('b'), found(1));
    await putDifferences(store, subject('a'), found(1, { total: 70 }));
    await putDifferences(store, subject('c', 'other'), found(1, { ...NONE, refused: 'too long' }));
    const { differences } = found(1);
    expect(await all()).toEqual([
      { subject: subject('a'), sinceMs: 1000, total: 70, differences },
      { subject: subject('b'), sinceMs: 1000, total: 1, differences },
    ]);
    expect(await all('other')).toEqual([
      { subject: subject('c', 'other'), sinceMs: 1000, ...NONE, refused: 'too long' },
    ]);
    expect(await countDifferences(store, 'rancher')).toBe(2);
    expect(await countDifferences(store, 'unknown')).toBe(0);
  });

  it('say when they began, until they are gone', async () => {
    await putDifferences(store, subject('a'), found(1));
    await putDifferences(store, subject('a'), found(3, { total: 2 }));
    expect(await all()).toMatchObject([{ sinceMs: 1000, total: 2 }]);
    await putDifferences(store, subject('a'), found(4, NONE));
    expect(await all()).toEqual([]);
    expect(await countDifferences(store, 'rancher')).toBe(0);
    await putDifferences(store, subject('a'), found(5));
    expect(await all()).toMatchObject([{ sinceMs: 5000, total: 1 }]);
  });

  it('that are gone expire', async () => {
    await putDifferences(store, subject('a'), found(1));
    await putDifferences(store, subject('a'), found(2, NONE));
    const { items } = await store.query({ pk: 'FLEETDIFF#rancher' });
    expect(items).toMatchObject([{ sk: 'bundles/fleet-default/a', expiresAt: 2 + 15 * 86_400 }]);
    expect(items[0]).not.toHaveProperty('body');
  });

  it('are not written if nothing has changed', async () => {
    await putDifferences(store, subject('a'), found(1, NONE));
    expect(puts).toBe(0);
    await putDifferences(store, subject('a'), found(2));
    await putDifferences(store, subject('a'), found(3));
    // What differs, and its marker.
    expect(puts).toBe(2);
    await putDifferences(store, subject('a'), found(4, NONE));
    await putDifferences(store, subject('a'), found(5, NONE));
    expect(puts).toBe(4);
  });

  it('give way to nothing older', async () => {
    await putDifferences(store, subject('a'), found(5, { total: 2 }));
    await putDifferences(store, subject('a'), found(4));
    await putDifferences(store, subject('a'), found(4, NONE));
    expect(await all()).toMatchObject([{ total: 2 }]);
    await putDifferences(store, subject('a'), found(6, NONE));
    await putDifferences(store, subject('a'), found(5, { total: 2 }));
    expect(await all()).toEqual([]);
  });

  it('are read page by page', async () => {
    for (const name of ['a', 'b', 'c']) await putDifferences(store, subject(name), found(1));
    await putDifferences(store, subject('a'), found(2, NONE));
    const first = await readDifferences(store, 'rancher', { limit: 2 });
    expect(first.objects).toMatchObject([{ subject: subject('b') }]);
    const { cursor = '' } = first;
    const second = await readDifferences(store, 'rancher', { limit: 2, cursor });
    expect(second.objects).toMatchObject([{ subject: subject('c') }]);
  });
});

describe('the marker of an object that differs', () => {
  const A = subject('a');
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });
  const count = () => countDifferences(store, 'rancher');
  const all = async () => (await readDifferences(store, 'rancher')).objects;

  /** A store whose second put from now is not made: the process dies before it. */
  function dying(): ItemStore {
    let puts = 0;
    return {
      ...store,
      put: async (items) => {
        puts += 1;
        if (puts === 2) throw new Error('died');
        return store.put(items);
      },
    };
  }

  it('is counted in place of what differs, which is not read', async () => {
    await putDifferences(store, A, found(1));
    await putDifferences(store, subject('b'), found(1, { ...NONE, refused: 'too long' }));
    const asked: string[] = [];
    const watched: ItemStore = {
      ...store,
      query: async (query) => {
        const page = await store.query({ ...query, limit: 1 });
        asked.push(...page.items.map(({ pk, body }) => `${pk} ${body}`));
        return page;
      },
    };
    expect(await countDifferences(watched, 'rancher')).toBe(2);
    expect(asked).toEqual(['FLEETDIFFS#rancher undefined', 'FLEETDIFFS#rancher undefined']);
  });

  it('that was not stored because of a crash is put the next time, even if nothing else has changed', async () => {
    await expect(putDifferences(dying(), A, found(1))).rejects.toThrow('died');
    expect([(await all()).length, await count()]).toEqual([1, 0]);
    await putDifferences(store, A, found(1));
    expect([(await all()).length, await count()]).toEqual([1, 1]);
  });

  it('that a crash kept from standing is put by a later one that finds the same', async () => {
    await expect(putDifferences(dying(), A, found(1))).rejects.toThrow('died');
    await putDifferences(store, A, found(3));
    expect(await count()).toBe(1);
    expect(await all()).toMatchObject([{ sinceMs: 1000 }]);
  });

  it('goes before what differs does, which goes the next time when a crash kept it', async () => {
    await putDifferences(store, A, found(1));
    await expect(putDifferences(dying(), A, found(2, NONE))).rejects.toThrow('died');
    expect([(await all()).length, await count()]).toEqual([1, 0]);
    await putDifferences(store, A, found(2, NONE));
    expect([await all(), await count()]).toEqual([[], 0]);
  });

  it('returns when the object differs again', async () => {
    for (const [revision, more] of [{}, NONE, {}].entries())
      await putDifferences(store, A, found(revision + 1, more));
    expect(await count()).toBe(1);
  });

  it('is not put by a process that stalled after it had put what differs no more', async () => {
    let puts = 0;
    const stalled: ItemStore = {
      ...store,
      put: async (items) => {
        puts += 1;
        if (puts === 2) await putDifferences(store, A, found(6, NONE));
        return store.put(items);
      },
    };
    await putDifferences(stalled, A, found(5));
    expect([await all(), await count()]).toEqual([[], 0]);
  });

  it('is not taken away by a process that stalled before it was put again', async () => {
    await putDifferences(store, A, found(3));
    let puts = 0;
    const stalled: ItemStore = {
      ...store,
      put: async (items) => {
        puts += 1;
        if (puts === 1) await putDifferences(store, A, found(5, { total: 2 }));
        return store.put(items);
      },
    };
    await putDifferences(stalled, A, found(4, NONE));
    expect([await all(), await count()]).toMatchObject([[{ total: 2 }], 1]);
  });

  it('is not touched by who comes too late', async () => {
    await putDifferences(store, A, found(5));
    await putDifferences(store, A, found(4, NONE));
    expect(await count()).toBe(1);
    await putDifferences(store, A, found(6, NONE));
    await putDifferences(store, A, found(5));
    expect(await count()).toBe(0);
  });

  it('that is gone may be forgotten after a day', async () => {
    await putDifferences(store, A, found(1));
    await putDifferences(store, A, found(2, NONE));
    const { items } = await store.query({ pk: 'FLEETDIFFS#rancher' });
    expect(items).toMatchObject([{ sk: 'bundles/fleet-default/a', expiresAt: 2 + 86_400 }]);
  });
});
