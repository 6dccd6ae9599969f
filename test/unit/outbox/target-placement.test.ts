import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { placeTargets } from '#shared/outbox/target-placement.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { fleetRowKey, fleetSubject } from '#shared/state/fleet/fleet-rows.ts';
import {
  createDestinationStore,
  type DestinationStore,
  type DestinationsName,
} from '#shared/state/membership.ts';
import { bodyJson } from '#test/fakes/item-body.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { fleetObject, NAMESPACE, UPSTREAM } from '#test/unit/protocol/fleet-events.ts';
import { interrupted } from '#test/unit/protocol/pipeline.ts';

const PK = subjectPartition(fleetObject('bundles', 'web'));
const NOTE = 'TARGETS';
const ROW = 'BUNDLE#';
const REPO: JsonObject = { repo: `${NAMESPACE}/one`, helmOp: '' };
const OTHER_REPO: JsonObject = { repo: `${NAMESPACE}/two`, helmOp: '' };

/** The key of the row below the Cluster `fleet-default/<name>`. */
function keyBelow(name: string): ItemKey {
  const row = { family: 'BUNDLE', id: `${NAMESPACE}/web` } as const;
  return fleetRowKey(fleetObject('clusters', name), row);
}

let store: ItemStore;
let destinations: DestinationStore;
/** Of each telling the names of the Clusters whose rows have changed, sorted. */
let told: (readonly string[])[];
/** Of each put the sort keys of its items. */
let puts: (readonly string[])[];
beforeEach(() => {
  const memory = createMemoryItemStore();
  told = [];
  puts = [];
  store = {
    ...memory,
    put: (some) => {
      puts.push(some.map(({ item }) => item.sk));
      return memory.put(some);
    },
  };
  destinations = createDestinationStore(store);
});

/** The list of these Clusters, as the head of this revision names it. */
function listOf(revision: number, names: string): Promise<DestinationsName> {
  const clusters = [...names].map((name) => `${NAMESPACE}/${name}`);
  return destinations.put(PK, clusters, { before: undefined, revision });
}

/** What happens to an aggregation beside itself. */
interface Meanwhile {
  readonly through?: ItemStore;
  readonly beforeTelling?: () => Promise<void>;
  readonly afterTelling?: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

/** What an aggregation wants. */
interface Wanted extends Meanwhile {
  readonly list: DestinationsName;
  readonly body?: JsonObject;
}

function place(revision: number, wanted: Wanted): Promise<boolean> {
  const { list, body = REPO, through = store } = wanted;
  const { beforeTelling = nothing, afterTelling = nothing } = wanted;
  return placeTargets(
    { store: through, destinations },
    {
      pk: PK,
      revision,
      wanted: { list, body },
      keyOf: (cluster) => {
        const below = fleetSubject(UPSTREAM, 'clusters', cluster);
        return below && fleetRowKey(below, { family: 'BUNDLE', id: `${NAMESPACE}/web` });
      },
      nowMs: 0,
      notify: async (keys) => {
        await beforeTelling();
        told.push(keys.map(({ pk }) => pk.slice(pk.lastIndexOf('/') + 1)).sort());
        await afterTelling();
      },
    },
  );
}

/** Each of these Clusters, with the revision and the GitRepo of the row below it; in brackets a tombstone. */
async function standing(names: string): Promise<string> {
  const items = await store.get([...names].map(keyBelow));
  const texts = items.map((item, index) => {
    if (item === undefined) return undefined;
    const text = `${names[index]}${Number(item.version)}`;
    if (item.body === undefined) return `(${text})`;
    const { repo } = bodyJson<{ readonly repo: string }>(item);
    return `${text}${repo.slice(NAMESPACE.length)}`;
  });
  return texts.filter((text) => text !== undefined).join(' ');
}

function rowsPut(): number {
  return puts.flat().filter((sk) => sk.startsWith(ROW)).length;
}

describe('the targets of a Bundle', () => {
  it('get rows as of the revision, all of which are reported at once', async () => {
    expect(await place(1, { list: await listOf(1, 'ab') })).toBe(true);
    expect(await standing('abc')).toBe('a1/one b1/one');
    expect(told).toEqual([['a', 'b']]);
  });

  it('that stay are neither written nor told', async () => {
    await place(1, { list: await listOf(1, 'abcd') });
    puts = [];
    expect(await place(2, { list: await listOf(2, 'bcde') })).toBe(true);
    expect(await standing('abcde')).toBe('(a2) b1/one c1/one d1/one e2/one');
    expect(told.slice(1)).toEqual([['a', 'e']]);
    expect(rowsPut()).toBe(2);
  });

  it('that are all the same as before write nothing', async () => {
    const list = await listOf(1, 'ab');
    await place(1, { list });
    puts = [];
    expect(await place(2, { list })).toBe(true);
    expect([puts, told.length]).toEqual([[], 1]);
  });

  it('are all written again when the Bundle belongs to something else', async () => {
    const list = await listOf(1, 'ab');
    await place(1, { list });
    expect(await place(2, { list, body: OTHER_REPO })).toBe(true);
    expect(await standing('ab')).toBe('a2/two b2/two');
    expect(told.slice(1)).toEqual([['a', 'b']]);
  });

  it('are written again and removed when the Bundle belongs to something else and has others', async () => {
    await place(1, { list: await listOf(1, 'abc') });
    expect(await place(2, { list: await listOf(2, 'bcd'), body: OTHER_REPO })).toBe(true);
    expect(await standing('abcd')).toBe('(a2) b2/two c2/two d2/two');
  });

  it('leave tombstones that expire, and return over them', async () => {
    await place(1, { list: await listOf(1, 'a') });
    await place(2, { list: await listOf(2, '') });
    expect((await store.get([keyBelow('a')]))[0]).toMatchObject({ expiresAt: 86_400 });
    expect(await standing('a')).toBe('(a2)');
    expect(await place(3, { list: await listOf(3, 'a') })).toBe(true);
    expect(await standing('a')).toBe('a3/one');
  });

  it('that have no key get no row', async () => {
    const names = [`${NAMESPACE}/a`, 'no name', `${NAMESPACE}/b`];
    const list = await destinations.put(PK, names, { before: undefined, revision: 1 });
    expect(await place(1, { list })).toBe(true);
    expect(told).toEqual([['a', 'b']]);
  });

  it('are kept as lists until another one is placed, and no longer', async () => {
    const [first, second] = [await listOf(1, 'ab'), await listOf(2, 'bc')];
    await place(1, { list: first });
    const isThere = async (list: DestinationsName): Promise<boolean> =>
      (await createDestinationStore(store).get(PK, list)) !== undefined;
    await place(2, {
      list: second,
      afterTelling: async () => expect(await isThere(first)).toBe(true),
    });
    expect([await isThere(first), await isThere(second)]).toEqual([false, true]);
  });

  it('whose list has been removed in the meantime are not placed: another aggregation has others', async () => {
    const list = await listOf(1, 'a');
    await destinations.removeBefore(PK, await listOf(2, 'b'));
    expect(await place(1, { list })).toBe(false);
    expect(rowsPut()).toBe(0);
  });
});

const killed = (): Promise<void> => Promise.reject(new Error('killed'));

const DEATHS: readonly (readonly [string, () => Meanwhile])[] = [
  [
    'before its rows',
    () => ({ through: interrupted(store, { call: 'put', sk: ROW, when: 'before' }, killed) }),
  ],
  [
    'after its rows',
    () => ({ through: interrupted(store, { call: 'put', sk: ROW, when: 'after' }, killed) }),
  ],
  ['before it has told', () => ({ beforeTelling: killed })],
  ['after it has told', () => ({ afterTelling: killed })],
];

describe.each(DEATHS)('an aggregation that dies %s', (_when, death) => {
  let list: DestinationsName;
  beforeEach(async () => {
    await place(1, { list: await listOf(1, 'ab') });
    list = await listOf(2, 'bc');
    await expect(place(2, { list, ...death() })).rejects.toThrow('killed');
    told = [];
  });

  it('leaves it to the next one to put and report everything', async () => {
    expect(await place(3, { list })).toBe(true);
    expect(await standing('abc')).toBe('(a3) b3/one c3/one');
    expect(told).toEqual([['a', 'b', 'c']]);
    expect(await place(4, { list })).toBe(true);
    expect(told).toHaveLength(1);
  });

  it('leaves nothing to one that wants what stood before', async () => {
    expect(await place(3, { list: await listOf(3, 'ab') })).toBe(true);
    expect(await standing('abc')).toBe('a3/one b3/one (c3)');
  });

  it('leaves nothing to one that wants others after another one has died too', async () => {
    const third = { list: await listOf(3, 'd'), ...death() };
    await expect(place(3, third)).rejects.toThrow('killed');
    expect(await place(4, { list: await listOf(4, 'e') })).toBe(true);
    expect(await standing('abcde')).toBe('(a4) (b4) (c4) (d4) e4/one');
  });
});

describe('of two aggregations at once', () => {
  let older: Wanted;
  let newer: Wanted;
  beforeEach(async () => {
    await place(4, { list: await listOf(4, 'ab') });
    older = { list: await listOf(5, 'bc'), body: OTHER_REPO };
    newer = { list: await listOf(6, 'bd') };
    told = [];
  });

  /** Whatever was in between, in the end everything is as the newer one wants it, and is noted so. */
  async function expectNewer(): Promise<void> {
    expect((await standing('abcd')).replaceAll(/\d+/g, '')).toMatch(
      /^\(a\) b\/one (\(c\) )?d\/one$/,
    );
    const tellings = told.length;
    expect(await place(8, newer)).toBe(true);
    expect(told).toHaveLength(tellings);
  }

  it('the older one starts again if the newer one is done', async () => {
    expect(await place(6, newer)).toBe(true);
    expect(await place(5, older)).toBe(false);
    await expectNewer();
  });

  const MOMENTS: readonly (readonly [string, (happening: () => Promise<void>) => Meanwhile])[] = [
    [
      'before its note',
      (happening) => ({
        through: interrupted(store, { call: 'put', sk: NOTE, when: 'before' }, happening),
      }),
    ],
    [
      'before its rows',
      (happening) => ({
        through: interrupted(store, { call: 'put', sk: ROW, when: 'before' }, happening),
      }),
    ],
    ['before it tells', (beforeTelling) => ({ beforeTelling })],
    ['before it notes that it is done', (afterTelling) => ({ afterTelling })],
  ];

  it.each(MOMENTS)('the older one that is overtaken %s starts again', async (_when, meanwhile) => {
    const overtaking = meanwhile(async () => {
      expect(await place(6, newer)).toBe(true);
    });
    expect(await place(5, { ...older, ...overtaking })).toBe(false);
    await expectNewer();
  });

  it('the newer one starts again if the older one notes first', async () => {
    const [[, beforeNote] = []] = MOMENTS;
    const slow = beforeNote?.(async () => {
      expect(await place(5, older)).toBe(true);
    });
    expect(await place(6, { ...newer, ...slow })).toBe(false);
    expect(await place(7, newer)).toBe(true);
    await expectNewer();
  });

  it.each(MOMENTS.slice(1))(
    'the newer one is not delayed by the older one that comes %s',
    async (_when, meanwhile) => {
      const slow = meanwhile(async () => {
        expect(await place(5, older)).toBe(false);
      });
      expect(await place(6, { ...newer, ...slow })).toBe(true);
      await expectNewer();
    },
  );
});
