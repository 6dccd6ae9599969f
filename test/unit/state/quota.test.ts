import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { beginRecount, endRecount, objectCounts, takeSlots } from '#shared/state/quota.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const SOURCE = { type: 'wec', name: 'wec1' } as const;

let memory: ItemStore;
let puts: number;
/** The memory, and how often it is written. */
let store: ItemStore;

beforeEach(() => {
  memory = createMemoryItemStore();
  puts = 0;
  store = {
    ...memory,
    put: (items) => {
      puts += 1;
      return memory.put(items);
    },
  };
});

async function take(wanted: number, limit = 10): Promise<number> {
  const { count: taken } = await takeSlots(store, { source: SOURCE, wanted, limit });
  return taken;
}

async function count(): Promise<unknown> {
  const [found] = await objectCounts(store, [SOURCE]);
  return found;
}

/** A store in which something happens once, before the first put. */
function racing(happens: () => Promise<unknown>): ItemStore {
  let pending = true;
  return {
    ...store,
    put: async (items) => {
      if (pending) {
        pending = false;
        await happens();
      }
      return store.put(items);
    },
  };
}

describe('places of a source', () => {
  it('are taken in one write until there are as many as it may have', async () => {
    expect(await take(7)).toBe(7);
    expect(puts).toBe(1);
    expect(await count()).toEqual({ objects: 7 });
    expect(await take(7)).toBe(3);
    expect(await count()).toEqual({ objects: 10, full: 10 });
  });

  it('are rejected without a write once this is recorded', async () => {
    await take(11);
    puts = 0;
    expect([await take(1), await take(5)]).toEqual([0, 0]);
    expect(puts).toBe(0);
  });

  it('are free again if the limit is raised, and rejected if it is lowered', async () => {
    await take(11);
    expect(await take(2, 20)).toBe(2);
    expect(await count()).toEqual({ objects: 12 });
    expect(await take(1, 5)).toBe(0);
    expect(await count()).toEqual({ objects: 12, full: 5 });
  });

  it('are taken by two at once as if by one after the other', async () => {
    const other = racing(() => take(6));
    const places = await takeSlots(other, { source: SOURCE, wanted: 6, limit: 10 });
    expect(places.count).toBe(4);
    expect(await count()).toEqual({ objects: 10, full: 10 });
  });
});

describe('a recount', () => {
  it('makes room if entries have gone, and counts what came in the meantime', async () => {
    await take(11);
    const recount = await beginRecount(store, SOURCE);
    expect(await take(2, 12)).toBe(2);
    await endRecount(store, SOURCE, { ...recount, entries: 4 });
    expect(await count()).toEqual({ objects: 6 });
  });

  it('still says that there is no room if there is none', async () => {
    await take(13);
    const recount = await beginRecount(store, SOURCE);
    await endRecount(store, SOURCE, { ...recount, entries: 11 });
    expect(await count()).toEqual({ objects: 11, full: 10 });
  });

  it('writes nothing if the count is right, however often it ends', async () => {
    await take(8);
    const recount = { ...(await beginRecount(store, SOURCE)), entries: 8 };
    puts = 0;
    await endRecount(store, SOURCE, recount);
    await endRecount(store, SOURCE, recount);
    expect(puts).toBe(0);
    expect(await count()).toEqual({ objects: 8 });
  });

  it('of a source that was never counted counts what it finds, and nothing writes nothing', async () => {
    const recount = await beginRecount(store, SOURCE);
    await endRecount(store, SOURCE, recount);
    expect(puts).toBe(0);
    await endRecount(store, SOURCE, { ...recount, entries: 3 });
    expect(await count()).toEqual({ objects: 3 });
  });

  it('that began earlier changes nothing after a later one has ended', async () => {
    await take(2);
    const early = { ...(await beginRecount(store, SOURCE)), entries: 2 };
    await take(6);
    const late = { ...(await beginRecount(store, SOURCE)), entries: 5 };
    await endRecount(store, SOURCE, late);
    await endRecount(store, SOURCE, early);
    expect(await count()).toEqual({ objects: 5 });
  });

  it('that ends while another one does counts once', async () => {
    await take(8);
    const recount = { ...(await beginRecount(store, SOURCE)), entries: 5 };
    await endRecount(
      racing(() => endRecount(store, SOURCE, recount)),
      SOURCE,
      recount,
    );
    expect(await count()).toEqual({ objects: 5 });
  });

  it('counts what is added while it ends', async () => {
    await take(8);
    const recount = { ...(await beginRecount(store, SOURCE)), entries: 5 };
    await endRecount(
      racing(() => take(1)),
      SOURCE,
      recount,
    );
    expect(await count()).toEqual({ objects: 6 });
  });
});
