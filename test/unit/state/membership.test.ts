import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  createDestinationStore,
  type Membership,
  membershipBody,
  readOldestMemberships,
} from '#shared/state/membership.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const PK = 'B#wds1/all';
const BEFORE_ANY = { before: undefined, revision: 1 };

function membership(binding: string): Membership {
  return {
    binding,
    bindingUid: `uid-${binding}`,
    version: 'v1',
    modulation: {
      statusCollectors: [],
      wantSingletonReportedState: false,
      wantMultiWECReportedState: true,
    },
    destinations: { hash: 'h', revision: 1, chunks: 1 },
    collectorVersions: [],
  };
}

describe('readOldestMemberships', () => {
  it('gives the Bindings that name a workload, by name, page by page, without tombstones', async () => {
    const store = createMemoryItemStore();
    const names = ['c', 'a', 'b'];
    await store.put(
      names.map((binding) => ({
        item: {
          pk: 'W#a',
          sk: `BINDING#${binding}`,
          body: membershipBody(binding === 'b' ? { deleted: true } : membership(binding)),
        },
      })),
    );
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    const { counted: read } = await readOldestMemberships(paged, 'W#a');
    expect(read.map(({ binding }) => binding)).toEqual(['a', 'c']);
  });

  it('holds no more than those that count and a page, however many there are', async () => {
    const store = createMemoryItemStore();
    const names = Array.from({ length: 30 }, (_, index) => `b${String(index).padStart(2, '0')}`);
    await store.put(
      names.map((binding, age) => ({
        item: {
          pk: 'W#a',
          sk: `BINDING#${binding}`,
          // The later the name, the older.
          body: membershipBody({ ...membership(binding), created: String(99 - age) }),
        },
      })),
    );
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 4 }) };
    const { counted, refused } = await readOldestMemberships(paged, 'W#a', 3);
    expect(counted.map(({ binding }) => binding)).toEqual(['b27', 'b28', 'b29']);
    expect([...refused].sort()).toEqual(names.slice(0, 27));
  });
});

describe('the destination lists of a Binding', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });

  it('are stored for the revision that made them, and read by any process', async () => {
    const name = await createDestinationStore(store).put(PK, ['wec1', 'wec2'], BEFORE_ANY);
    expect(name).toMatchObject({ revision: 1, chunks: 1 });
    const list = await createDestinationStore(store).get(PK, name);
    expect([list?.hash, list?.names, list?.set.has('wec2')]).toEqual([
      name.hash,
      ['wec1', 'wec2'],
      true,
    ]);
  });

  it('keep their name while they stay the same', async () => {
    const lists = createDestinationStore(store);
    const before = await lists.put(PK, ['wec1'], BEFORE_ANY);
    expect(await lists.put(PK, ['wec1'], { before, revision: 5 })).toBe(before);
    expect(await lists.put(PK, ['wec2'], { before, revision: 5 })).toMatchObject({ revision: 5 });
  });

  it('of earlier revisions are removed; a process that knows one may still use it', async () => {
    const lists = createDestinationStore(store);
    const first = await lists.put(PK, ['wec1'], BEFORE_ANY);
    const second = await lists.put(PK, ['wec2'], { before: first, revision: 2 });
    await lists.get(PK, first);
    await lists.removeBefore(PK, second);
    const other = createDestinationStore(store);
    expect(await other.get(PK, first)).toBeUndefined();
    expect((await other.get(PK, second))?.names).toEqual(['wec2']);
    expect((await lists.get(PK, first))?.names).toEqual(['wec1']);
  });

  it('are forgotten by a process that has seen very many, and read again', async () => {
    const lists = createDestinationStore(store);
    const first = await lists.put(PK, ['wec1'], BEFORE_ANY);
    await lists.get(PK, first);
    for (let index = 0; index < 101; index += 1) {
      const pk = `B#wds1/${index}`;
      await lists.get(pk, await lists.put(pk, [`other${index}`], BEFORE_ANY));
    }
    expect((await lists.get(PK, first))?.names).toEqual(['wec1']);
  });
});
