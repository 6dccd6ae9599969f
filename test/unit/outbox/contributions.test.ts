import { beforeEach, describe, expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import { contribute } from '#shared/outbox/contributions.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { bodyJson } from '#test/fakes/item-body.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { fleetObject } from '#test/unit/protocol/fleet-events.ts';
import { interrupted } from '#test/unit/protocol/pipeline.ts';

const PK = subjectPartition(fleetObject('clusters', 'c1'));
const NOTE = 'CONTRIBUTED';
const ROW = 'CLUSTER#';

/** What is wanted below other subjects: by the name of the subject what is to stand there. */
type Wanted = Readonly<Record<string, number>>;

function keyBelow(name: string): ItemKey {
  return { pk: subjectPartition(fleetObject('gitrepos', name)), sk: `${ROW}c1` };
}

let store: ItemStore;
/** Of each telling the names of the subjects whose rows have changed. */
let told: (readonly string[])[];
/** How many items each put had. */
let puts: number[];
beforeEach(() => {
  const memory = createMemoryItemStore();
  told = [];
  puts = [];
  store = {
    ...memory,
    put: (some) => {
      puts.push(some.length);
      return memory.put(some);
    },
  };
});

/** What happens to an aggregation beside itself. */
interface Meanwhile {
  readonly through?: ItemStore;
  readonly beforeTelling?: () => Promise<void>;
  readonly afterTelling?: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

function want(revision: number, wanted: Wanted, meanwhile: Meanwhile = {}): Promise<boolean> {
  const { through = store, beforeTelling = nothing, afterTelling = nothing } = meanwhile;
  return contribute(through, {
    pk: PK,
    revision,
    wanted: Object.entries(wanted).map(([name, body]) => ({ key: keyBelow(name), body })),
    nowMs: 0,
    notify: async (keys) => {
      await beforeTelling();
      told.push(keys.map(({ pk }) => pk.slice(pk.lastIndexOf('/') + 1)));
      await afterTelling();
    },
  });
}

/** What stands below each of these subjects, and as of which revision; `gone`: a tombstone. */
async function standing(...names: readonly string[]): Promise<readonly (string | undefined)[]> {
  const items = await store.get(names.map(keyBelow));
  return items.map((item) => {
    if (item === undefined) return undefined;
    const said = item.body === undefined ? 'gone' : bodyJson<number>(item);
    return `${said} @${Number(item.version)}`;
  });
}

describe('contributions', () => {
  it('are rows as of the revision, all of which are reported at once', async () => {
    expect(await want(1, { b: 2, a: 1 })).toBe(true);
    expect(await standing('a', 'b')).toEqual(['1 @1', '2 @1']);
    expect(told).toEqual([['a', 'b']]);
  });

  it('are put and reported only if they have changed', async () => {
    await want(1, { a: 1, b: 1 });
    expect(await want(2, { a: 1, b: 2, c: 1 })).toBe(true);
    expect(await standing('a', 'b', 'c')).toEqual(['1 @1', '2 @2', '1 @2']);
    expect(told.slice(1)).toEqual([['b', 'c']]);
    // Each time the note, the rows, the note.
    expect(puts).toEqual([1, 2, 1, 1, 2, 1]);
  });

  it('that have not changed are not written, and no subject is notified', async () => {
    await want(1, { a: 1 });
    expect(await want(2, { a: 1 })).toBe(true);
    expect([puts.length, told.length]).toEqual([3, 1]);
  });

  it('that never were any write nothing', async () => {
    expect(await want(1, {})).toBe(true);
    expect([puts, told]).toEqual([[], []]);
  });

  it('that are no longer desired become tombstones that expire, and are reported', async () => {
    await want(1, { a: 1, b: 1 });
    expect(await want(2, { b: 1 })).toBe(true);
    expect(await standing('a', 'b')).toEqual(['gone @2', '1 @1']);
    expect((await store.get([keyBelow('a')]))[0]?.expiresAt).toBe(86_400);
    expect(told.slice(1)).toEqual([['a']]);
    expect(await want(3, { b: 1 })).toBe(true);
    expect(told).toHaveLength(2);
  });

  it('that are desired again replace their tombstones', async () => {
    await want(1, { a: 1 });
    await want(2, {});
    await want(3, { a: 1 });
    expect(await standing('a')).toEqual(['1 @3']);
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
  beforeEach(async () => {
    await want(1, { a: 1, same: 1 });
    await expect(want(2, { a: 2, b: 2, same: 1 }, death())).rejects.toThrow('killed');
    told = [];
  });

  it('leaves it to the next one to put and report all of it again', async () => {
    expect(await want(3, { a: 2, b: 2, same: 1 })).toBe(true);
    expect(await standing('a', 'b', 'same')).toEqual(['2 @3', '2 @3', '1 @1']);
    expect(told).toEqual([['a', 'b']]);
    expect(await want(4, { a: 2, b: 2, same: 1 })).toBe(true);
    expect(told).toHaveLength(1);
  });

  it('leaves nothing to one that wants what stood before', async () => {
    expect(await want(3, { a: 1, same: 1 })).toBe(true);
    expect(await standing('a', 'b', 'same')).toEqual(['1 @3', 'gone @3', '1 @1']);
    expect(told).toEqual([['a', 'b']]);
  });
});

describe('of two aggregations at once', () => {
  beforeEach(async () => {
    await want(4, { a: 4, b: 4 });
    told = [];
  });
  const older: Wanted = { a: 5, b: 4, c: 5 };
  const newer: Wanted = { a: 4, b: 6 };

  /** Whatever was in between, in the end everything is as the newer one wants it, and is noted so. */
  async function expectNewer(): Promise<void> {
    const [a, b, c] = await standing('a', 'b', 'c');
    expect([a, b, c ?? 'gone'].map((text) => text?.split(' ')[0])).toEqual(['4', '6', 'gone']);
    const tellings = told.length;
    expect(await want(7, newer)).toBe(true);
    expect(told).toHaveLength(tellings);
  }

  it('the older one starts again if the newer one is done', async () => {
    expect(await want(6, newer)).toBe(true);
    expect(await want(5, older)).toBe(false);
    expect(told).toEqual([['b']]);
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
      expect(await want(6, newer)).toBe(true);
    });
    expect(await want(5, older, overtaking)).toBe(false);
    await expectNewer();
  });

  it('the newer one starts again if the older one notes first', async () => {
    const [[, beforeNote] = []] = MOMENTS;
    const slow = beforeNote?.(async () => {
      expect(await want(5, older)).toBe(true);
    });
    expect(await want(6, newer, slow)).toBe(false);
    expect(await want(7, newer)).toBe(true);
    await expectNewer();
  });

  it.each(MOMENTS.slice(1))(
    'the newer one is not delayed by the older one that comes %s',
    async (_when, meanwhile) => {
      const slow = meanwhile(async () => {
        expect(await want(5, older)).toBe(false);
      });
      expect(await want(6, newer, slow)).toBe(true);
      await expectNewer();
    },
  );

  it('the newer one reports what the older one has put', async () => {
    const [, [, beforeRows] = []] = MOMENTS;
    const slow = beforeRows?.(async () => {
      await want(6, newer);
    });
    await want(5, older, slow);
    expect(told[0]).toEqual(['a', 'b', 'c']);
  });

  it('a row of the older one does not replace one of the newer one', async () => {
    const [, [, beforeRows] = []] = MOMENTS;
    const slow = beforeRows?.(async () => {
      await want(6, newer);
    });
    await want(5, older, slow);
    expect(await standing('a', 'b', 'c')).toEqual(['4 @6', '6 @6', 'gone @6']);
  });
});

it('revisions are compared as numbers', async () => {
  await want(9, { a: 9 });
  expect(await want(10, { a: 10 })).toBe(true);
  expect((await store.get([keyBelow('a')]))[0]?.version).toBe(sortableNumber(10));
});
