import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { epochAt } from '#shared/core/epoch.ts';
import type { EventContent, ForwarderEvent } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { RANGE, range, rowKey, SORT, versionText } from '#shared/state/keys.ts';
import { beginRecount, endRecount, objectCounts } from '#shared/state/quota.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { interrupted } from '#test/unit/protocol/pipeline.ts';

const SOURCE = { type: 'wec', name: 'wec1' } as const;
const HOUR_MS = 3_600_000;

type Said = 'made' | 'changed' | 'deleted';

let store: ItemStore;
let nowMs: number;

beforeEach(() => {
  store = createMemoryItemStore();
  nowMs = 100 * HOUR_MS;
});

function workloadOf(name: string) {
  return { wds: 'wds1', group: '', resource: 'pods', namespace: 'shop', name };
}

function said(name: string, how: Said, sequence: number): ForwarderEvent {
  const { wds, ...subject } = workloadOf(name);
  const content: EventContent = {
    ...{ type: 'wec-object', wds, subject, first: how === 'made' },
    ...(how === 'deleted' ? {} : { returned: { uid: name, generation: 0, status: { sequence } } }),
  };
  return { source: SOURCE, version: { epoch: 1, sequence }, time: '2026-01-01T00:00:00Z', content };
}

async function record(events: readonly ForwarderEvent[], through = store, objectsPerWec = 100) {
  const queues = { dirty: new SentMessages(), hints: new SentMessages() };
  const deps = { store: through, specs: createSpecStore(through), ...queues, clock: () => nowMs };
  return recordEvents({ ...deps, objectsPerWec }, events);
}

async function entries(): Promise<number> {
  const { items } = await store.query(range(sourcePartition(SOURCE), RANGE.reported));
  return items.length;
}

async function counted(): Promise<number | undefined> {
  const [count] = await objectCounts(store, [SOURCE]);
  return count?.objects;
}

async function standing(name: string) {
  const [item] = await store.get([rowKey(workloadOf(name), SOURCE.name)]);
  return item;
}

describe('the place of an object', () => {
  it('returns when the object is deleted, and its tombstone stays', async () => {
    await record([said('a', 'made', 1), said('b', 'made', 2)]);
    await record([said('a', 'deleted', 3)]);
    expect([await counted(), await entries()]).toEqual([1, 1]);
    expect((await standing('a'))?.expiresAt).toBeGreaterThan(0);
  });

  it('returns once, however often the deletion is reported', async () => {
    await record([said('a', 'made', 1), said('b', 'made', 2)]);
    for (let time = 0; time < 3; time += 1) await record([said('a', 'deleted', 3)]);
    expect([await counted(), await entries()]).toEqual([1, 1]);
  });

  it('returns if the deletion arrives before the event that it deletes', async () => {
    await record([said('a', 'deleted', 2)]);
    await record([said('a', 'made', 1)]);
    expect([await counted(), await entries()]).toEqual([0, 0]);
  });

  it('returns if its event is older than the last complete listing', async () => {
    const floor = { pk: sourcePartition(SOURCE), sk: SORT.snapshot };
    await store.put([{ item: { ...floor, version: versionText({ epoch: 1, sequence: 9 }) } }]);
    await record([said('a', 'made', 1)]);
    expect([await counted(), await entries()]).toEqual([0, 0]);
  });

  it('is taken again by an object that is created again, whatever its forwarder reports', async () => {
    await record([said('a', 'made', 1), said('b', 'made', 2)]);
    await record([said('a', 'deleted', 3), said('b', 'deleted', 4)]);
    await record([said('a', 'made', 5), said('b', 'changed', 6)]);
    expect([await counted(), await entries()]).toEqual([2, 2]);
  });

  it('stays if the tombstone is ahead of the clock: a removal must find it', async () => {
    await record([said('a', 'made', 1)]);
    const version = { epoch: epochAt(nowMs) + 2 ** 20, sequence: 2 };
    await record([{ ...said('a', 'deleted', 2), version }]);
    expect([await counted(), await entries()]).toEqual([1, 1]);
  });

  it('is not taken by a late event about a deleted object, though the last listing is ahead of the clock', async () => {
    await record([said('a', 'made', 1), said('b', 'made', 2)]);
    await record([said('a', 'deleted', 5)]);
    const ahead = versionText({ epoch: epochAt(nowMs) + 2 ** 20, sequence: 9 });
    const floor = { pk: sourcePartition(SOURCE), sk: SORT.snapshot };
    await store.put([{ item: { ...floor, version: ahead } }]);
    for (const late of [said('a', 'changed', 4), said('a', 'made', 1), said('a', 'deleted', 5)])
      await record([late]);
    expect([await counted(), await entries()]).toEqual([1, 1]);
    expect((await standing('a'))?.version).toBe(versionText({ epoch: 1, sequence: 5 }));
    // A row that was never deleted becomes a tombstone of the listing, which a removal must find.
    await record([said('b', 'changed', 3)]);
    expect([await counted(), await entries()]).toEqual([1, 1]);
    expect((await standing('b'))?.version).toBe(ahead);
  });

  it('makes room at once for a source that had none', async () => {
    const made = [said('a', 'made', 1), said('b', 'made', 2), said('c', 'made', 3)];
    expect((await record(made, store, 2)).overQuota.size).toBe(1);
    await record([said('a', 'deleted', 4)], store, 2);
    expect(await objectCounts(store, [SOURCE])).toEqual([{ objects: 1 }]);
    expect((await record([said('c', 'made', 5)], store, 2)).overQuota.size).toBe(0);
  });
});

it('nothing is put for tombstones if no row is older than the last listing, or all are tombstones', async () => {
  const puts: number[] = [];
  const counting: ItemStore = {
    ...store,
    put: (items) => {
      puts.push(items.length);
      return store.put(items);
    },
  };
  await record([said('a', 'made', 1)], counting);
  const floor = { pk: sourcePartition(SOURCE), sk: SORT.snapshot };
  await record([said('a', 'deleted', 5)]);
  await store.put([{ item: { ...floor, version: versionText({ epoch: 1, sequence: 9 }) } }]);
  await record([said('a', 'changed', 4)], counting);
  expect(puts).not.toContain(0);
});

describe('who dies', () => {
  const DYING = [
    { call: 'put', sk: RANGE.row, when: 'after', left: 0 },
    { call: 'delete', sk: RANGE.reported, when: 'before', left: 0 },
    // It has gone, and nobody knows who removed it: one too many is counted until the next recount.
    { call: 'delete', sk: RANGE.reported, when: 'after', left: 1 },
    { call: 'put', sk: SORT.objects, when: 'before', left: 1 },
    { call: 'put', sk: SORT.objects, when: 'after', left: 0 },
  ] as const;

  it.each(DYING)('$when a $call of $sk leaves $left too many, and none too few', async (moment) => {
    const { left, ...where } = moment;
    await record([said('a', 'made', 1), said('b', 'made', 2)]);
    const dying = interrupted(store, where, () => Promise.reject(new Error('died')));
    await expect(record([said('a', 'deleted', 3)], dying)).rejects.toThrow('died');
    await record([said('a', 'deleted', 3)]);
    expect([await counted(), await entries()]).toEqual([1 + left, 1]);
  });
});

describe('an object that is created again while its place is given back', () => {
  const MOMENTS = [
    { call: 'put', sk: RANGE.row, when: 'before' },
    { call: 'put', sk: RANGE.row, when: 'after' },
    { call: 'delete', sk: RANGE.reported, when: 'before' },
    { call: 'delete', sk: RANGE.reported, when: 'after' },
    { call: 'put', sk: SORT.objects, when: 'after' },
  ] as const;

  it.each(MOMENTS)('has an entry and a place ($when a $call of $sk)', async (moment) => {
    await record([said('a', 'made', 1)]);
    const other = interrupted(store, moment, async () => {
      await record([said('a', 'made', 3)]);
    });
    await record([said('a', 'deleted', 2)], other);
    expect([await counted(), await entries()]).toEqual([1, 1]);
    expect(await standing('a')).not.toHaveProperty('expiresAt');
  });

  it('takes a place if its entry is removed before it is put again', async () => {
    await record([said('a', 'made', 1)]);
    const moment = { call: 'put', sk: RANGE.reported, when: 'before' } as const;
    const other = interrupted(store, moment, async () => {
      await record([said('a', 'deleted', 2)]);
    });
    await record([said('a', 'made', 3)], other);
    expect([await counted(), await entries()]).toEqual([1, 1]);
  });
});

it('the entry of an object that is reported stays while the older item becomes a tombstone', async () => {
  const floor = { pk: sourcePartition(SOURCE), sk: SORT.snapshot };
  await store.put([{ item: { ...floor, version: versionText({ epoch: 1, sequence: 9 }) } }]);
  const moment = { call: 'get', sk: SORT.snapshot, when: 'before' } as const;
  const other = interrupted(store, moment, async () => {
    await record([said('a', 'changed', 10)]);
  });
  await record([said('a', 'made', 5)], other);
  expect(await standing('a')).not.toHaveProperty('expiresAt');
  expect([await counted(), await entries()]).toEqual([1, 1]);
});

describe('a recount', () => {
  it('that ends before a place is given back has counted it as free already', async () => {
    await record([said('a', 'made', 1), said('b', 'made', 2)]);
    const moment = { call: 'delete', sk: RANGE.reported, when: 'after' } as const;
    const counting = interrupted(store, moment, async () => {
      const recount = await beginRecount(store, SOURCE);
      await endRecount(store, SOURCE, { ...recount, entries: await entries() });
    });
    await record([said('a', 'deleted', 3)], counting);
    expect([await counted(), await entries()]).toEqual([1, 1]);
  });

  it('that has seen an entry which then goes counts it until the next one', async () => {
    await record([said('a', 'made', 1), said('b', 'made', 2)]);
    const recount = { ...(await beginRecount(store, SOURCE)), entries: await entries() };
    await record([said('a', 'deleted', 3)]);
    await endRecount(store, SOURCE, recount);
    expect(await counted()).toBe(2);
    const next = { ...(await beginRecount(store, SOURCE)), entries: await entries() };
    await endRecount(store, SOURCE, next);
    expect(await counted()).toBe(1);
  });
});

it('places that could not be taken of one source give back those of another', async () => {
  const others = { ...said('a', 'made', 2), source: { type: 'wec', name: 'wec2' } } as const;
  const second = sourcePartition(others.source);
  const failing: ItemStore = {
    ...store,
    put: (puts) =>
      puts.some(({ item }) => item.pk === second && item.sk === SORT.objects)
        ? Promise.reject(new StoreUnavailableError('throttled'))
        : store.put(puts),
  };
  for (let attempt = 0; attempt < 3; attempt += 1)
    await expect(record([said('a', 'made', 1), others], failing)).rejects.toThrow('throttled');
  expect(await objectCounts(store, [SOURCE, others.source])).toEqual([
    { objects: 0 },
    { objects: 0 },
  ]);
});

it('places of entries that were put though the store said that it failed stay taken', async () => {
  const moment = { call: 'put', sk: RANGE.reported, when: 'after' } as const;
  const failing = interrupted(store, moment, () => Promise.reject(new Error('timeout')));
  await expect(record([said('a', 'made', 1)], failing)).rejects.toThrow('timeout');
  expect([await counted(), await entries()]).toEqual([1, 1]);
});

it('a place that another one has given back in the meantime is not given back again', async () => {
  await record([said('b', 'made', 1)]);
  const moment = { call: 'put', sk: RANGE.reported, when: 'after' } as const;
  const failing = interrupted(store, moment, async () => {
    await record([said('a', 'deleted', 3)]);
    throw new Error('timeout');
  });
  await expect(record([said('a', 'made', 2)], failing)).rejects.toThrow('timeout');
  expect([await counted(), await entries()]).toEqual([1, 1]);
});

/** What becomes of three objects: the events of each in their order, and how they come. */
const HISTORY = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    how: fc.constantFrom<Said>('made', 'changed', 'deleted'),
    copies: fc.integer({ min: 1, max: 2 }),
    order: fc.nat(1_000),
  }),
  { minLength: 1, maxLength: 12 },
);

type History = typeof HISTORY extends fc.Arbitrary<infer T> ? T : never;

function eventsOf(history: History): readonly ForwarderEvent[] {
  return history
    .flatMap(({ name, how, copies, order }, index) =>
      Array.from({ length: copies }, (_copy, copy) => ({
        order: order + copy * 300,
        event: said(name, how, index + 1),
      })),
    )
    .sort((a, b) => a.order - b.order)
    .map(({ event }) => event);
}

/** The names of the objects that stand in the end. */
function namesOf(history: History): readonly string[] {
  const last = new Map(history.map(({ name, how }) => [name, how]));
  return [...last].filter(([, how]) => how !== 'deleted').map(([name]) => name);
}

async function expectRows(history: History): Promise<void> {
  const live = namesOf(history);
  for (const name of ['a', 'b', 'c']) {
    const item = await standing(name);
    const isLive = item !== undefined && item.expiresAt === undefined;
    expect([name, isLive]).toEqual([name, live.includes(name)]);
  }
}

/** The store, of which each call takes as long as the scheduler likes, and may fail before it has done anything or after. */
function faulty(
  faults: readonly ('none' | 'before' | 'after')[],
  scheduler: fc.Scheduler,
): ItemStore {
  const pending = faults.values();
  const slow = async <T>(run: () => Promise<T>): Promise<T> => {
    const fault = pending.next().value ?? 'none';
    await scheduler.schedule(Promise.resolve());
    if (fault === 'before') throw new StoreUnavailableError('before');
    const result = await run();
    if (fault === 'after') throw new StoreUnavailableError('after');
    return result;
  };
  return {
    get: (keys) => slow(() => store.get(keys)),
    query: (query) => slow(() => store.query(query)),
    put: (puts) => slow(() => store.put(puts)),
    delete: (deletes) => slow(() => store.delete(deletes)),
  };
}

/** Records an event until that has been done, as a queue delivers it again. */
async function deliver(event: ForwarderEvent, through: ItemStore): Promise<void> {
  for (;;) {
    const failure = await record([event], through).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    if (!(failure instanceof StoreUnavailableError)) throw failure;
  }
}

it('there are as many places taken as objects stand, whatever comes twice or late', async () => {
  await fc.assert(
    fc.asyncProperty(HISTORY, async (history) => {
      store = createMemoryItemStore();
      for (const event of eventsOf(history)) await record([event]);
      await expectRows(history);
      const live = namesOf(history).length;
      expect([await counted(), await entries()]).toEqual([live, live]);
    }),
    { seed: 1, numRuns: 300 },
  );
});

it('no row is without its entry and no entry without a place, whoever works at the same time or fails', async () => {
  await fc.assert(
    fc.asyncProperty(
      HISTORY,
      fc.scheduler(),
      fc.array(fc.constantFrom('none', 'before', 'after'), { maxLength: 60 }),
      async (history, scheduler, faults) => {
        store = createMemoryItemStore();
        const through = faulty(faults, scheduler);
        await scheduler.waitFor(
          Promise.all(eventsOf(history).map((event) => deliver(event, through))),
        );
        await expectRows(history);
        const { items } = await store.query(range(sourcePartition(SOURCE), RANGE.reported));
        for (const name of namesOf(history))
          expect(items.some(({ sk }) => sk.includes(`/shop/${name}|`))).toBe(true);
        expect(await counted()).toBeGreaterThanOrEqual(items.length);
      },
    ),
    { seed: 2, numRuns: 300 },
  );
});
