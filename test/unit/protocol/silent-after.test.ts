import { beforeEach, describe, expect, it } from 'vitest';
import {
  allReporting,
  neverReportedWec,
  notReporting,
  silentSince,
} from '#shared/core/binding/messages.ts';
import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readHead } from '#shared/state/head.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { readTimedSubjects } from '#shared/state/silent-after.ts';
import { MULTI, Pipeline, WEB, WEB_SUBJECT } from './pipeline.ts';

const MINUTE = 60_000;
const WECS = ['wec1', 'wec2', 'wec3', 'wec4'];
const WEB_ROWS = subjectPartition(WEB_SUBJECT);
const BINDING_ROWS = 'B#wds1/b';

let pipeline: Pipeline;

const store = (): ItemStore => pipeline.store;

async function speak(...wecs: readonly string[]): Promise<void> {
  const content = { type: 'heartbeat' } as const;
  await pipeline.record(...wecs.map((name) => pipeline.event({ type: 'wec', name }, content)));
}

async function sweep(): Promise<void> {
  await pipeline.sweep();
  await pipeline.settle();
}

/** The Binding of the Deployment, or its policy, says this in its annotation; `''`: it has none. */
async function say(resource: 'bindings' | 'bindingpolicies', silentAfter: string): Promise<void> {
  const kind = resource === 'bindings' ? 'Binding' : 'BindingPolicy';
  const annotations = silentAfter === '' ? {} : { 'starfold.dev/silent-after': silentAfter };
  const workload = { namespaceScope: [{ ...WEB, resourceVersion: '1', ...MULTI }] };
  const destinations = WECS.map((clusterId) => ({ clusterId }));
  await pipeline.apply(controlRef(resource, 'b'), {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind,
    metadata: { name: 'b', annotations },
    spec: kind === 'Binding' ? { destinations, workload } : {},
  });
  await pipeline.settle();
}

/** All WECs have 2 of the 9 replicas ready and have just spoken; the Binding waits for ten minutes. */
async function begin(unsharded?: number): Promise<void> {
  pipeline = new Pipeline(unsharded);
  await pipeline.record(pipeline.event({ type: 'wds', name: 'wds1' }, { type: 'heartbeat' }));
  await pipeline.begin(WECS);
  await pipeline.record(...WECS.map((wec) => pipeline.said(wec, 2)));
  await speak(...WECS);
  await say('bindings', '10m');
  await sweep();
  expect(await pipeline.ready()).toBe(2);
}

/** Only these speak, for so long. */
async function pass(ms: number, ...speaking: readonly string[]): Promise<void> {
  pipeline.now += ms;
  await speak(...speaking);
}

async function timed(minutes: number): Promise<readonly string[]> {
  return [...(await readTimedSubjects(pipeline.store, minutes * MINUTE)).keys()];
}

function conditionOf(object: JsonObject | undefined): unknown {
  const conditions = at(object, 'status', 'conditions');
  return (isArray(conditions) ? conditions : []).find(
    (one) => member(one, 'type') === 'WECsReporting',
  );
}

describe.each([
  ['from its rows', undefined],
  ['in shards', 1],
])('a WEC that is silent for longer than an object allows, folded %s,', (_how, unsharded) => {
  beforeEach(() => begin(unsharded));

  it('has said nothing from the next sweep on, and not before its time', async () => {
    await pass(10 * MINUTE, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBe(2);
    await pass(1, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBeUndefined();
  });

  it('counts again after its next heartbeat', async () => {
    await pass(10 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    await speak('wec1');
    await sweep();
    expect(await pipeline.ready()).toBe(2);
  });

  it('counts again with what it says next, at once, and for as long', async () => {
    await pass(10 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    await pipeline.record(pipeline.said('wec1', 1));
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(1);
    await pass(10 * MINUTE, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBe(1);
    await pass(1, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBeUndefined();
  });

  it('and that has never sent a heartbeat counts for as long after each report, until it sends one', async () => {
    await store().delete([{ key: heartbeatKey({ type: 'wec', name: 'wec1' }) }]);
    await sweep();
    expect(await pipeline.ready()).toBe(2);
    await pass(10 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBeUndefined();
    await pipeline.record(pipeline.said('wec1', 1));
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(1);
    await pass(10 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBeUndefined();
    await speak('wec1');
    await sweep();
    expect(await pipeline.ready()).toBe(1);
  });

  it('counts until its last report is too old, if that came after its last heartbeat', async () => {
    await pass(MINUTE, 'wec2', 'wec3', 'wec4');
    await pipeline.record(pipeline.said('wec1', 1));
    await pipeline.settle();
    await pass(9 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBe(1);
    await pass(MINUTE, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await pipeline.ready()).toBeUndefined();
  });
});

describe('the time of an object', () => {
  beforeEach(() => begin());

  it('is noted as long as it has it', async () => {
    expect(await timed(10)).toEqual([WEB_ROWS]);
    await say('bindings', '20m');
    expect([await timed(10), await timed(20)]).toEqual([[], [WEB_ROWS]]);
    await say('bindings', '');
    expect([await timed(10), await timed(20)]).toEqual([[], []]);
    expect((await readHead(pipeline.store, WEB_ROWS)).silentAfterMs).toBeUndefined();
  });

  it('is that of the policy if the Binding has none', async () => {
    await say('bindingpolicies', '20m');
    expect([await timed(10), await timed(20)]).toEqual([[WEB_ROWS], []]);
    await say('bindings', '');
    expect([await timed(10), await timed(20)]).toEqual([[], [WEB_ROWS]]);
  });

  it('that is new counts from the next sweep on', async () => {
    await pass(5 * MINUTE, 'wec2', 'wec3', 'wec4');
    await say('bindings', '2m');
    await sweep();
    expect(await pipeline.ready()).toBeUndefined();
    await say('bindings', '10m');
    expect(await pipeline.ready()).toBe(2);
  });

  it('that no subject has anymore leaves no WEC silent that has reported since', async () => {
    await pass(10 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    await say('bindings', '');
    await speak(...WECS);
    await sweep();
    await say('bindings', '10m');
    expect(await pipeline.ready()).toBe(2);
  });

  it('ignores a message about a silence that does not exist', async () => {
    await say('bindings', '');
    const { revision } = await readHead(pipeline.store, WEB_ROWS);
    await pass(10 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect((await readHead(pipeline.store, WEB_ROWS)).revision).toBe(revision);
    expect(await pipeline.ready()).toBe(2);
  });
});

/** A store in which something happens before its call of this number. */
function atCall(
  store: ItemStore,
  moment: { before: number; calls: number },
  happening: () => Promise<void>,
): ItemStore {
  const count = async <T>(run: () => Promise<T>): Promise<T> => {
    moment.calls += 1;
    if (moment.calls === moment.before) await happening();
    return run();
  };
  return {
    get: (keys) => count(() => store.get(keys)),
    query: (query) => count(() => store.query(query)),
    put: (puts) => count(() => store.put(puts)),
    delete: (deletes) => count(() => store.delete(deletes)),
  };
}

/** Tries an aggregation with something before each of its calls; what is then wrong. */
async function everyCall(
  prepare: () => Promise<void>,
  happening: () => Promise<void>,
  found: () => Promise<unknown>,
): Promise<readonly unknown[]> {
  const ends: unknown[] = [];
  for (let before = 1; ; before += 1) {
    await prepare();
    const moment = { before, calls: 0 };
    const messages = pipeline.takeDirty();
    for (const message of messages)
      await pipeline.aggregate(message, atCall(pipeline.store, moment, happening));
    if (moment.calls < before) return ends;
    await pipeline.settle();
    await sweep();
    ends.push(await found());
  }
}

describe('an aggregation that a silence overtakes between any two calls', () => {
  const overtake = async (): Promise<void> => {
    await pipeline.sweep();
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
  };

  it.each([
    ['from its rows', undefined],
    ['in shards', 1],
  ])('of a workload object, folded %s, knows it in the end', async (_how, unsharded) => {
    const ends = await everyCall(
      async () => {
        await begin(unsharded);
        await pass(10 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
        await pipeline.record(pipeline.said('wec4', 3));
      },
      overtake,
      () => pipeline.ready(),
    );
    expect(ends.length).toBeGreaterThan(5);
    expect(new Set(ends)).toEqual(new Set([undefined]));
  });

  it('of an object that has just got its time knows it in the end', async () => {
    const ends = await everyCall(
      async () => {
        await begin();
        await pass(4 * MINUTE, 'wec2', 'wec3', 'wec4');
        await say('bindings', '2m');
        await pipeline.record(pipeline.said('wec4', 3));
      },
      overtake,
      () => pipeline.ready(),
    );
    expect(ends.length).toBeGreaterThan(5);
    expect(new Set(ends)).toEqual(new Set([undefined]));
  });

  it('of a Binding knows it in the end', async () => {
    const ends = await everyCall(
      async () => {
        await begin();
        await pass(SILENCE_LIMIT_MS + 1, 'wec2', 'wec3', 'wec4');
        await pipeline.bind(WECS.slice(0, 3));
      },
      overtake,
      async () => {
        const binding = await pipeline.wds.api.get(controlRef('bindings', 'b'));
        return member(conditionOf(binding) as JsonObject, 'reason');
      },
    );
    expect(ends.length).toBeGreaterThan(5);
    expect(new Set(ends)).toEqual(new Set(['WECsSilent']));
  });
});

describe('the condition WECsReporting of a Binding and its policy', () => {
  const binding = async () => conditionOf(await pipeline.wds.api.get(controlRef('bindings', 'b')));
  const revision = async () => (await readHead(pipeline.store, BINDING_ROWS)).revision;

  it('is missing until a sweep has looked', async () => {
    pipeline = new Pipeline();
    await pipeline.begin(WECS);
    expect(await binding()).toBeUndefined();
  });

  it('names the silent WECs with their times, in both, and those that report again', async () => {
    await begin();
    await say('bindingpolicies', '');
    expect(await binding()).toMatchObject({ status: 'True', reason: 'AllReporting' });
    await pass(SILENCE_LIMIT_MS + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    const silent = {
      status: 'False',
      reason: 'WECsSilent',
      message: notReporting(1, 4, silentSince('wec1', '1970-01-01T00:00:00Z')),
    };
    expect(await binding()).toMatchObject(silent);
    const policy = await pipeline.wds.api.get(controlRef('bindingpolicies', 'b'));
    expect(conditionOf(policy)).toMatchObject(silent);
    await speak('wec1');
    await sweep();
    expect(await binding()).toMatchObject({ status: 'True', message: allReporting(4) });
  });

  it('says who has never reported, until the first heartbeat', async () => {
    pipeline = new Pipeline();
    await pipeline.record(pipeline.event({ type: 'wds', name: 'wds1' }, { type: 'heartbeat' }));
    await pipeline.begin(WECS);
    await speak('wec1', 'wec2', 'wec3');
    await sweep();
    expect(await binding()).toMatchObject({
      reason: 'WECsNeverReported',
      message: notReporting(1, 4, neverReportedWec('wec4')),
    });
    await speak('wec4');
    await sweep();
    expect(await binding()).toMatchObject({ status: 'True' });
  });

  it('is checked for WECs of the Binding alone', async () => {
    await begin();
    const before = await revision();
    await speak('other');
    await sweep();
    await pass(SILENCE_LIMIT_MS + 1, ...WECS);
    await sweep();
    expect(await revision()).toBe(before);
    await pass(SILENCE_LIMIT_MS + 1, ...WECS.slice(1));
    await sweep();
    expect(await revision()).toBe(before + 1);
  });

  it('is False after the time of the Binding, if that is less than five minutes', async () => {
    await begin();
    await say('bindings', '2m');
    await sweep();
    expect([...(await timed(2))].sort()).toEqual([BINDING_ROWS, WEB_ROWS]);
    await pass(2 * MINUTE + 1, 'wec2', 'wec3', 'wec4');
    await sweep();
    expect(await binding()).toMatchObject({ status: 'False' });
    await say('bindings', '');
    expect(await binding()).toMatchObject({ status: 'True' });
    expect(await timed(2)).toEqual([]);
  });

  it('is read again if a sweep stores another list at that moment', async () => {
    await begin();
    await speak('wec5');
    await pipeline.bind([...WECS, 'wec5']);
    let isSwept = false;
    const slow: ItemStore = {
      ...pipeline.store,
      get: async (keys) => {
        const items = await pipeline.store.get(keys);
        if (keys.some(({ pk, sk }) => pk === 'HEARD' && sk === 'LIST') && !isSwept) {
          isSwept = true;
          await pipeline.sweep();
        }
        return items;
      },
    };
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message, slow);
    expect(isSwept).toBe(true);
    await pipeline.settle();
    expect(await binding()).toMatchObject({ status: 'True', message: allReporting(5) });
  });
});
