import { expect, it } from 'vitest';
import { noFleet } from '#functions/write-results/deps.ts';
import { writeResults } from '#functions/write-results/use-case.ts';
import { held } from '#shared/core/binding/messages.ts';
import { isArray, type JsonValue, member } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { putApplied, readApplied } from '#shared/state/head.ts';
import { readHeld } from '#shared/state/held.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { binding, control, returned, shown, thing, workloadOf } from './pipeline-objects.ts';

const BINDING = control('bindings', 'b');
const POLICY = control('bindingpolicies', 'b');
const ONE = thing('one');
const WECS = ['edge1', 'edge2', 'edge3', 'edge4', 'edge5'];
const KEPT = ['theirs', 'starfold: what was wrong before'];
const STATUS = {
  observedGeneration: 1,
  conditions: [{ type: 'StatusCollectorsAvailable', status: 'True', lastTransitionTime: 'then' }],
  errors: KEPT,
};

/** A new state, and a WDS in which statuses of a former one stand; all but one of its WECs have told everything. */
async function pipelineAfterLoss(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  const thingObject = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: 'one', namespace: 'shop' },
    spec: {},
  };
  pipeline.wds.apply(ONE, { ...thingObject, status: { phase: 'Ready' } });
  pipeline.wds.apply(BINDING, { ...binding(WECS, [ONE]), status: STATUS });
  pipeline.wds.apply(POLICY, {
    kind: 'BindingPolicy',
    metadata: { name: 'b' },
    spec: {},
    status: STATUS,
  });
  pipeline.snapshot();
  await pipeline.settle();
  return pipeline;
}

async function errorsOf(pipeline: Pipeline, ref = BINDING): Promise<readonly JsonValue[]> {
  const errors = await shown(pipeline, ref, 'status', 'errors');
  return isArray(errors) ? errors : [];
}

it('names the awaited sources after a minute, in Binding and BindingPolicy, and changes nothing else', async () => {
  const pipeline = await pipelineAfterLoss();
  expect(pipeline.writes).toEqual([]);
  await pipeline.settle();
  // Nothing has looked since it was first left.
  expect(pipeline.writes).toEqual([]);
  await pipeline.sweepHeld();
  await pipeline.settle();
  expect(pipeline.writes).toEqual(['status bindings/b', 'status bindingpolicies/b']);
  const since = '2026-01-01T00:05:01Z';
  const error = `starfold: ${held(since, 'wec/edge1, wec/edge2, wec/edge3 and 2 more', 5)}`;
  for (const ref of [BINDING, POLICY])
    expect(await shown(pipeline, ref, 'status')).toEqual({ ...STATUS, errors: [...KEPT, error] });
  expect(await readHeld(pipeline.store)).toMatchObject([{ reported: true }]);
  await pipeline.sweepHeld();
  pipeline.relist();
  await pipeline.settle();
  expect(pipeline.writes).toHaveLength(2);
});

it('names those that are left, and says no more of it when there are none', async () => {
  const pipeline = await pipelineAfterLoss();
  await pipeline.settle();
  await pipeline.sweepHeld();
  await pipeline.settle();
  for (const name of WECS.slice(0, -1)) pipeline.snapshot({ type: 'wec', name });
  await pipeline.settle();
  expect(await errorsOf(pipeline)).toEqual([
    ...KEPT,
    expect.stringContaining('1 source has not reported everything yet (wec/edge5); until'),
  ]);
  pipeline.tell('edge5', workloadOf(ONE), returned({ phase: 'Ready' }));
  pipeline.snapshot({ type: 'wec', name: 'edge5' });
  await pipeline.settle();
  expect(await errorsOf(pipeline)).toEqual(['theirs']);
  expect(await errorsOf(pipeline, POLICY)).toEqual(['theirs']);
  expect(await readHeld(pipeline.store)).toHaveLength(1);
  await pipeline.sweepHeld();
  expect(await readHeld(pipeline.store)).toEqual([]);
});

it('is reported when the API server accepts it, if it was rejected before', async () => {
  const pipeline = await pipelineAfterLoss();
  pipeline.refuse = () => {
    throw new Error('down');
  };
  await pipeline.settle();
  await pipeline.sweepHeld();
  await pipeline.settle();
  expect(await readHeld(pipeline.store)).toMatchObject([{ reported: false }]);
  pipeline.refuse = () => undefined;
  // The hint is visible again after 1,000 s.
  for (let settled = 0; settled < 4; settled += 1) await pipeline.settle();
  expect(await errorsOf(pipeline)).toHaveLength(3);
});

it('is not reported for a wait of seconds', async () => {
  const pipeline = await pipelineAfterLoss();
  await pipeline.sweepHeld();
  for (const name of WECS) pipeline.snapshot({ type: 'wec', name });
  await pipeline.settle();
  expect(await errorsOf(pipeline)).toEqual(['theirs']);
  expect(pipeline.writes).toEqual(['status bindings/b', 'status bindingpolicies/b']);
});

it('is not reported if another writer has begun to write the desired result since the objects were read', async () => {
  const pipeline = await pipelineAfterLoss();
  const { store, wds } = pipeline;
  const subject: Subject = { type: 'binding', wds: 'wds1', name: 'b' };
  const pk = subjectPartition(subject);
  const errors: (JsonValue | undefined)[] = [];
  const deps = {
    store,
    dirty: new SentMessages(),
    telemetry: createMemoryTelemetry(),
    fleet: noFleet,
    clock: () => Date.UTC(2026, 0, 2),
    wds: () => ({
      ...wds.api,
      get: async (ref: ObjectRef) => {
        const applied = await readApplied(store, pk);
        if (applied.revision === 0) await putApplied(store, pk, { ...applied, revision: 1 });
        return wds.api.get(ref);
      },
      replaceStatus: async (...[ref, change]: Parameters<ObjectApi['replaceStatus']>) => {
        errors.push(member(change.status, 'errors'));
        return wds.api.replaceStatus(ref, change);
      },
    }),
  };
  await writeResults(deps, [{ subject, objects: [] }]);
  expect(errors).toEqual([['theirs'], ['theirs']]);
});
