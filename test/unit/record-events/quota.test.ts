import { beforeEach, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import type { EventContent, ForwarderEvent } from '#shared/core/event.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { rowKey, SORT } from '#shared/state/keys.ts';
import { beginRecount, endRecount, objectCounts } from '#shared/state/quota.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { interrupted } from '#test/unit/protocol/pipeline.ts';

const SOURCE = { type: 'wec', name: 'wec1' } as const;

let memory: ItemStore;
/** What is asked of the store and written, each key once for each call. */
let calls: string[];

beforeEach(() => {
  memory = createMemoryItemStore();
  calls = [];
});

function said(name: string, sequence: number, first: boolean): ForwarderEvent {
  const subject = { group: '', resource: 'pods', namespace: 'shop', name };
  const returned = { uid: name, generation: 0, status: { sequence } };
  const content: EventContent = { type: 'wec-object', wds: 'wds1', subject, first, returned };
  return {
    source: SOURCE,
    version: { epoch: 1, sequence },
    time: '2026-01-01T00:00:00Z',
    content,
  };
}

function kindOf(sk: string): string {
  return sk.split('#')[0] ?? '';
}

/** Records events, and notes what that asks and writes. */
async function record(events: readonly ForwarderEvent[], store = memory, objectsPerWec = 100) {
  const noting: ItemStore = {
    ...store,
    get: (keys) => {
      calls.push(...keys.map(({ sk }) => `get ${kindOf(sk)}`));
      return store.get(keys);
    },
    put: (puts) => {
      calls.push(...puts.map(({ item }) => `put ${kindOf(item.sk)}`));
      return store.put(puts);
    },
  };
  const queues = { dirty: new SentMessages(), hints: new SentMessages() };
  const deps = { store: noting, specs: createSpecStore(noting), ...queues, clock: () => 0 };
  return recordEvents({ ...deps, objectsPerWec }, events);
}

async function counted(): Promise<number | undefined> {
  const [count] = await objectCounts(memory, [SOURCE]);
  return count?.objects;
}

it('a hundred new objects take their places in one write', async () => {
  await record(Array.from({ length: 100 }, (_event, index) => said(`p${index}`, index + 1, true)));
  expect(calls.filter((call) => call === 'put OBJECTS')).toHaveLength(1);
  expect(calls.filter((call) => call === 'put SEEN')).toHaveLength(100);
  expect(await counted()).toBe(100);
});

it('an event that is not the first of its object costs no more than its row', async () => {
  await record([said('a', 1, true)]);
  calls = [];
  await record([said('a', 2, false)]);
  // The floor, which every row is compared with.
  expect(calls).toEqual(['put R', `get ${SORT.snapshot}`]);
});

it('an object that is reported as new again costs a read of its entry, and no place', async () => {
  await record([said('a', 1, true)]);
  calls = [];
  await record([said('a', 2, true)]);
  expect(calls).toEqual(['get SEEN', 'put SEEN', 'put R', `get ${SORT.snapshot}`]);
  expect(await counted()).toBe(1);
});

it('of a new object, all of several events are rejected; of a known one, none', async () => {
  await record([said('a', 1, true)]);
  const events = [said('b', 2, true), said('b', 3, false), said('a', 4, false)];
  const { overQuota } = await record(events, memory, 1);
  expect([...overQuota]).toEqual(events.slice(0, 2));
  const [row] = await memory.get([
    rowKey({ wds: 'wds1', group: '', resource: 'pods', namespace: 'shop', name: 'b' }, SOURCE.name),
  ]);
  expect(row).toBeUndefined();
});

it('each WEC has a quota of its own', async () => {
  const events = [
    said('a', 1, true),
    said('b', 2, true),
    { ...said('a', 3, true), source: { type: 'wec', name: 'wec2' } } as const,
  ];
  const { overQuota } = await record(events, memory, 1);
  expect([...overQuota]).toEqual([events[1]]);
});

it('who dies after places were taken has counted too many, and no object is lost', async () => {
  const moment = { call: 'put', sk: SORT.objects, when: 'after' } as const;
  const dying = interrupted(memory, moment, () => Promise.reject(new Error('died')));
  await expect(record([said('a', 1, true)], dying)).rejects.toThrow('died');
  const { overQuota } = await record([said('a', 1, true)]);
  expect(overQuota.size).toBe(0);
  expect(await counted()).toBe(2);
});

it('who cannot put the entries gives the places back, however often it is tried', async () => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const moment = { call: 'put', sk: 'SEEN#', when: 'before' } as const;
    const failing = interrupted(memory, moment, () => Promise.reject(new Error('throttled')));
    const events = [said('a', 1, true), said('b', 2, true)];
    await expect(record(events, failing, 3)).rejects.toThrow('throttled');
    expect(await counted()).toBe(0);
  }
  expect((await record([said('a', 1, true), said('b', 2, true)], memory, 3)).overQuota.size).toBe(
    0,
  );
  expect(await counted()).toBe(2);
});

it('a recount that is under way finds the right number where places are given back', async () => {
  const moment = { call: 'put', sk: 'SEEN#', when: 'before' } as const;
  let recount = { entries: 0, at: 0 };
  const failing = interrupted(memory, moment, async () => {
    recount = await beginRecount(memory, SOURCE);
    throw new Error('throttled');
  });
  await expect(record([said('a', 1, true)], failing)).rejects.toThrow('throttled');
  await endRecount(memory, SOURCE, recount);
  expect(await counted()).toBe(0);
});
