import { beforeEach, describe, expect, it } from 'vitest';
import { OWN_ASIDE } from '#functions/aggregate-workload/messages.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { nextTryMs, putSetAside, readSetAsideOf, type SetAside } from '#shared/state/set-aside.ts';
import { control, MortalPipeline, partitionOf, thing, VISIBILITY_SECONDS } from './poison.ts';

const BAD = thing('bad');
const BAD_PK = partitionOf(BAD);
const ALL = control('bindings', 'all');
const ATTACKER = control('bindings', 'attacker');
const EXPENSIVE = control('statuscollectors', 'expensive');
const MINUTE_MS = 60_000;
/** The longest pause if the inputs have changed, the minute in which the sweep comes, and that in which it sends. */
const CHANGED_MS = 5 * MINUTE_MS;
const SWEEP_MS = 2 * MINUTE_MS;

let pipeline: MortalPipeline;

function collector(generation: number): JsonObject {
  return {
    kind: 'StatusCollector',
    metadata: { name: 'expensive', generation },
    spec: { limit: generation, select: [{ name: 'phase', def: 'returned.status.phase' }] },
  };
}

function binding(statusCollectors: readonly string[] = ['expensive']): JsonObject {
  const asked = { ...BAD, wantMultiWECReportedState: true, statusCollectors };
  return {
    kind: 'Binding',
    metadata: { name: 'attacker', uid: 'uid-attacker' },
    spec: {
      destinations: [{ clusterId: 'wec1' }],
      workload: { namespaceScope: [asked] },
    },
  };
}

async function entry(pk = BAD_PK): Promise<SetAside> {
  const stored = await readSetAsideOf(pipeline.store, pk);
  if (stored === undefined) throw new Error('it is not set aside');
  return stored;
}

/** The thing ends processes until its pause is half an hour, in which it is now. */
async function setAside(): Promise<void> {
  pipeline.poisoned.add(BAD_PK);
  await pipeline.say('wec1', 'bad', 'worse');
  await pipeline.settle();
  while ((await entry()).times < 6) await pipeline.pass(1);
}

/** The minutes until nothing is set aside. */
async function minutesUntilTried(): Promise<number> {
  for (let minute = 1; minute <= 90; minute += 1) {
    await pipeline.say('wec1', 'bad', `phase ${minute}`);
    if ((await pipeline.pass(1)) === 0) return minute;
  }
  throw new Error('it is not tried');
}

beforeEach(async () => {
  pipeline = new MortalPipeline();
  await pipeline.begin(['bad']);
  await pipeline.settle();
  await pipeline.apply(EXPENSIVE, collector(1));
  await pipeline.apply(ATTACKER, binding());
  await pipeline.settle();
});

describe('a workload object that has ended processes for half an hour', () => {
  const changes: Readonly<Record<string, () => Promise<void>>> = {
    'the Binding that asks for most is deleted': () => pipeline.remove(ATTACKER),
    'its StatusCollector is edited': () => pipeline.apply(EXPENSIVE, collector(2)),
    'its StatusCollector is deleted': () => pipeline.remove(EXPENSIVE),
    'a Binding asks for another StatusCollector': () =>
      pipeline.apply(ATTACKER, binding(['other'])),
    'another Binding names it': () =>
      pipeline.apply(control('bindings', 'late'), {
        ...binding(),
        metadata: { name: 'late', uid: 'uid-late' },
      }),
    'the Binding is deleted and made anew': async () => {
      await pipeline.remove(ATTACKER);
      await pipeline.apply(ATTACKER, { ...binding(), metadata: { name: 'attacker', uid: 'new' } });
    },
  };

  it.each(Object.entries(changes))(
    'is tried five minutes after the last end if %s',
    async (_title, change) => {
      await setAside();
      const { lastMs } = await entry();
      await change();
      await pipeline.settle();
      expect(nextTryMs(await entry())).toBe(lastMs + CHANGED_MS);
      pipeline.poisoned.clear();
      expect(await pipeline.pass(6)).toBe(0);
      expect(pipeline.now).toBeLessThanOrEqual(lastMs + CHANGED_MS + SWEEP_MS);
      expect(await pipeline.errors(ALL)).toEqual([]);
      expect(await pipeline.shown(BAD, 'status', 'phase')).toBe('worse');
    },
  );

  it('is tried at once if they change when five minutes are over', async () => {
    await setAside();
    await pipeline.pass(10);
    expect((await entry()).times).toBe(6);
    pipeline.poisoned.clear();
    const before = pipeline.now;
    await pipeline.remove(ATTACKER);
    await pipeline.settle();
    expect(await readSetAsideOf(pipeline.store, BAD_PK)).toBeUndefined();
    expect(pipeline.now).toBe(before);
    expect(await pipeline.errors(ALL)).toEqual([]);
  });

  it('is not tried before its pause is over if only WECs report something', async () => {
    await setAside();
    pipeline.poisoned.clear();
    expect(await minutesUntilTried()).toBeGreaterThan(25);
  });

  it('is not tried earlier for an edit that its Bindings do not name', async () => {
    await setAside();
    const { lastMs } = await entry();
    await pipeline.apply(control('statuscollectors', 'foreign'), {
      ...collector(1),
      metadata: { name: 'foreign', generation: 1 },
    });
    await pipeline.apply(thing('other'), { kind: 'Thing', metadata: { name: 'other' }, spec: {} });
    await pipeline.settle();
    expect(nextTryMs(await entry())).toBeGreaterThan(lastMs + 30 * MINUTE_MS);
  });

  it('ends a process every five minutes at most while somebody edits a StatusCollector without end', async () => {
    await setAside();
    const ends: number[] = [];
    for (let edit = 2; edit < 62; edit += 1) {
      const before = pipeline.deaths.length;
      await pipeline.apply(EXPENSIVE, collector(edit));
      await pipeline.pass(1);
      if (pipeline.deaths.length > before) ends.push(pipeline.now);
    }
    const gaps = ends.slice(1).map((end, index) => end - (ends[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(5);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(CHANGED_MS);
  });

  it('has its long pause again if it ends a process after the change', async () => {
    await setAside();
    await pipeline.remove(ATTACKER);
    while ((await entry()).times < 7) await pipeline.pass(1);
    const { lastMs } = await entry();
    await pipeline.say('wec1', 'bad', 'worst');
    await pipeline.settle();
    expect(nextTryMs(await entry())).toBe(lastMs + 60 * MINUTE_MS);
  });

  it('is tried after five minutes if the change comes before its last end is found', async () => {
    await setAside();
    while ((await entry()).times < 7) {
      pipeline.now += MINUTE_MS;
      await pipeline.sweep();
      if ((await pipeline.aggregateOnce()) === 'died') {
        await pipeline.remove(ATTACKER);
        await pipeline.aggregateOnce();
      }
      await pipeline.settle();
    }
    const { lastMs } = await entry();
    expect(nextTryMs(await entry())).toBe(lastMs + CHANGED_MS);
  });
});

describe('an entry of a release that did not know the inputs', () => {
  it('keeps its long pause if a Binding changes, and knows them after the next try', async () => {
    await setAside();
    const key = { pk: 'ASIDE', sk: BAD_PK };
    const [item] = await pipeline.store.get([key]);
    const { lastMs, ...former } = await entry();
    const { sinceMs, times, bindings } = former;
    const body = JSON.stringify({ sinceMs, lastMs, times, bindings });
    await pipeline.store.put([{ item: { ...key, version: item?.version ?? '', body } }]);
    await pipeline.remove(ATTACKER);
    await pipeline.settle();
    expect(nextTryMs(await entry())).toBe(lastMs + 32 * MINUTE_MS);
    while ((await entry()).times < 7) await pipeline.pass(1);
    await pipeline.apply(ATTACKER, binding());
    await pipeline.settle();
    expect(nextTryMs(await entry())).toBe((await entry()).lastMs + CHANGED_MS);
  });
});

const OWNERS = [
  {
    kind: 'Binding',
    pk: 'B#wds1/attacker',
    ref: ATTACKER,
    edited: (edit: number) => binding([`edit-${edit}`]),
  },
  {
    kind: 'StatusCollector',
    pk: 'C#wds1/expensive',
    ref: EXPENSIVE,
    edited: (edit: number) => collector(edit + 1),
  },
];

describe.each(OWNERS)(
  'a $kind that has itself ended processes for half an hour',
  ({ pk, ref, edited }) => {
    beforeEach(async () => {
      pipeline.poisoned.add(pk);
      await pipeline.apply(ref, edited(1));
      await pipeline.settle();
      while ((await entry(pk)).times < 6) await pipeline.pass(1);
    });

    it('says when it is retried', async () => {
      expect(await pipeline.errors(ref)).toEqual([expect.stringContaining(OWN_ASIDE)]);
    });

    it('is tried five minutes after the last end if it is edited', async () => {
      const { lastMs } = await entry(pk);
      await pipeline.apply(ref, edited(2));
      await pipeline.settle();
      expect(nextTryMs(await entry(pk))).toBe(lastMs + CHANGED_MS);
      pipeline.poisoned.clear();
      await pipeline.pass(6);
      expect(await readSetAsideOf(pipeline.store, pk)).toBeUndefined();
      expect(pipeline.now).toBeLessThanOrEqual(lastMs + CHANGED_MS + SWEEP_MS);
    });

    it('is tried five minutes after the last end if it is deleted', async () => {
      const { lastMs } = await entry(pk);
      await pipeline.remove(ref);
      await pipeline.settle();
      expect(nextTryMs(await entry(pk))).toBe(lastMs + CHANGED_MS);
    });

    it('is not tried earlier if it is edited and restored', async () => {
      const { lastMs } = await entry(pk);
      await pipeline.apply(ref, edited(1));
      await pipeline.settle();
      expect(nextTryMs(await entry(pk))).toBeGreaterThan(lastMs + 30 * MINUTE_MS);
    });
  },
);

describe('a process that dies before any call while it shortens a pause', () => {
  /** It is set aside with other inputs than the present ones. Returns the number of calls. */
  async function course(diesBefore?: number): Promise<number> {
    pipeline = new MortalPipeline();
    await pipeline.begin(['bad']);
    await pipeline.settle();
    let before: SetAside | undefined;
    const at = { pk: BAD_PK, bindings: ['all'], present: 'other inputs' };
    for (let times = 0; times < 7; times += 1)
      before = await putSetAside(pipeline.store, { ...at, nowMs: pipeline.now }, before);
    pipeline.now += VISIBILITY_SECONDS * 1_000;
    const from = pipeline.calls.length;
    pipeline.diesBefore = diesBefore === undefined ? undefined : from + diesBefore;
    await pipeline.say('wec1', 'bad', 'new');
    await pipeline.settle();
    await pipeline.pass(8);
    const left = await readSetAsideOf(pipeline.store, BAD_PK);
    // It has died in the attempt itself, with the present inputs.
    if (left !== undefined) expect(left).toMatchObject({ times: 8 });
    if (left !== undefined) await pipeline.pass(62);
    expect(await readSetAsideOf(pipeline.store, BAD_PK)).toBeUndefined();
    expect(await pipeline.shown(BAD, 'status', 'phase')).toBe('new');
    return pipeline.calls.length - from;
  }

  it('leaves an object that is tried after five minutes all the same', async () => {
    const calls = await course();
    expect(calls).toBeGreaterThan(20);
    for (let call = 0; call < calls; call += 1) await course(call);
  });
});
