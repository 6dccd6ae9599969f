import { beforeEach, describe, expect, it } from 'vitest';
import { statusRejected } from '#functions/write-results/messages.ts';
import { invalidCollectors } from '#shared/core/binding/messages.ts';
import { misspeltField } from '#shared/core/field-messages.ts';
import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import { workloadKey } from '#shared/core/workload.ts';
import { ApiInvalidError } from '#shared/errors.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { putApplied, readApplied } from '#shared/state/head.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import {
  applyThing,
  binding,
  combinedStatuses,
  control,
  returned,
  shown,
  thing,
  workloadOf,
} from './pipeline-objects.ts';

const WEB = thing('web');
const ALL = control('bindings', 'all');
const POLICY = control('bindingpolicies', 'all');
const COUNT = control('statuscollectors', 'count');
const COUNT_SPEC: JsonObject = {
  kind: 'StatusCollector',
  metadata: {},
  spec: { combinedFields: [{ name: 'n', type: 'COUNT' }], limit: 5 },
};
const COLLECT = { statusCollectors: ['count'] };

let pipeline: Pipeline;
beforeEach(() => {
  pipeline = new Pipeline();
  pipeline.snapshot();
});

describe('what the API server rejects', () => {
  it('stands in status.errors of the Binding, after the errors of others, until it is taken', async () => {
    applyThing(pipeline, WEB);
    pipeline.wds.apply(ALL, { ...binding(['wec1'], [WEB]), status: { errors: ['theirs'] } });
    pipeline.tell('wec1', workloadOf(WEB), returned({ phase: 'Bad' }));
    pipeline.refuse = (verb, ref) => {
      if (verb === 'status' && ref.resource === 'things')
        throw new ApiInvalidError('status', 'status.phase: Unsupported value');
    };
    await pipeline.settle();
    expect(await shown(pipeline, ALL, 'status', 'errors')).toEqual([
      'theirs',
      `starfold: things.example.org shop/web: ${statusRejected('status.phase: Unsupported value')}`,
    ]);

    const before = pipeline.writes.length;
    pipeline.relist();
    await pipeline.settle();
    expect(pipeline.writes.slice(before)).toEqual([]);

    pipeline.refuse = () => undefined;
    pipeline.tell('wec1', workloadOf(WEB), returned({ phase: 'Good' }));
    await pipeline.settle();
    expect(await shown(pipeline, WEB, 'status')).toEqual({ phase: 'Good' });
    expect(await shown(pipeline, ALL, 'status', 'errors')).toEqual(['theirs']);
    expect(pipeline.failures).toEqual([]);
  });

  it('is requested once more if release 0.1 did not record which object was rejected', async () => {
    applyThing(pipeline, WEB);
    pipeline.wds.apply(ALL, binding(['wec1'], [WEB]));
    pipeline.tell('wec1', workloadOf(WEB), returned({ phase: 'Bad' }));
    pipeline.refuse = (verb, ref) => {
      if (verb === 'status' && ref.resource === 'things') throw new ApiInvalidError('status', 'no');
    };
    await pipeline.settle();
    const pk = `W#${workloadKey(workloadOf(WEB))}`;
    const applied = await readApplied(pipeline.store, pk);
    const owned = Object.entries(applied.owned).map(([name, { want, observed }]) => [
      name,
      { want, observed },
    ]);
    const older = { ...applied, owned: Object.fromEntries(owned), revision: applied.revision + 1 };
    expect(await putApplied(pipeline.store, pk, older)).toBe(true);

    const asked = { ...COLLECT, wantMultiWECReportedState: true };
    const before = pipeline.writes.length;
    pipeline.wds.apply(COUNT, COUNT_SPEC);
    for (const given of [asked, { wantMultiWECReportedState: true }]) {
      pipeline.wds.apply(ALL, binding(['wec1'], [WEB], given));
      await pipeline.settle();
    }
    const statusWrites = pipeline.writes
      .slice(before)
      .filter((write) => write.includes('things/web'));
    expect(statusWrites).toEqual(['status things/web']);
    expect(await shown(pipeline, ALL, 'status', 'errors')).toHaveLength(1);
  });

  it('is a CombinedStatus by itself: the status of the object is written all the same', async () => {
    applyThing(pipeline, WEB);
    pipeline.wds.apply(COUNT, COUNT_SPEC);
    const asked = { ...COLLECT, wantSingletonReportedState: true };
    pipeline.wds.apply(ALL, binding(['wec1'], [WEB], asked));
    pipeline.tell('wec1', workloadOf(WEB), returned({ phase: 'Good' }));
    pipeline.refuse = (_verb, ref) => {
      if (ref.resource === 'combinedstatuses') throw new ApiInvalidError('create', 'too long');
    };
    await pipeline.settle();
    expect(await shown(pipeline, WEB, 'status')).toEqual({ phase: 'Good' });
    const errors = await shown(pipeline, ALL, 'status', 'errors');
    expect(errors).toEqual([
      expect.stringMatching(/web: CombinedStatus \S+: the API server rejects it: too long$/),
    ]);
  });

  it('counts beyond a hundred as a number', async () => {
    const things = Array.from({ length: 130 }, (_thing, index) => thing(`web-${index + 1000}`));
    for (const ref of things) {
      applyThing(pipeline, ref);
      pipeline.tell('wec1', workloadOf(ref), returned({ phase: 'Bad' }));
    }
    pipeline.refuse = (verb, ref) => {
      if (verb === 'status' && ref.resource === 'things') throw new ApiInvalidError('status', 'no');
    };
    pipeline.wds.apply(ALL, binding(['wec1'], things));
    await pipeline.settle();
    const errors = await shown(pipeline, ALL, 'status', 'errors');
    expect(errors).toHaveLength(101);
    expect(errors).toContain('starfold: and 30 more errors');
  });
});

describe('what is in the way of a status', () => {
  const load: ObjectRef = {
    group: 'batch',
    version: 'v1',
    resource: 'jobs',
    namespace: 'shop',
    name: 'load',
  };
  const COMPLETE: JsonObject = {
    startTime: '2025-11-01T10:00:00Z',
    completionTime: '2025-11-01T11:00:00Z',
    conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' })),
  };
  const RUNNING: JsonObject = { startTime: '2025-11-01T10:00:00Z', active: 1 };
  const errors = async () => (await shown(pipeline, ALL, 'status', 'errors')) ?? [];

  it('is reported for as long as it does, and the nearest status is written', async () => {
    const { name, namespace } = load;
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec: {} };
    pipeline.wds.apply(load, job);
    pipeline.wds.apply(ALL, binding(['wec1'], [load]));
    pipeline.tell('wec1', workloadOf(load), returned(COMPLETE));
    await pipeline.settle();
    expect(await shown(pipeline, load, 'status')).toEqual(COMPLETE);
    expect(await errors()).toEqual([]);

    pipeline.wds.apply(ALL, binding(['wec1', 'wec2'], [load]));
    pipeline.tell('wec2', workloadOf(load), returned(RUNNING));
    await pipeline.settle();
    const told = [
      expect.stringMatching(
        /^starfold: jobs\.batch shop\/load: status: conditions cannot be withdrawn/,
      ),
    ];
    expect(await shown(pipeline, load, 'status')).toMatchObject({
      conditions: [{ type: 'Complete' }, { type: 'SuccessCriteriaMet' }],
    });
    expect(await errors()).toEqual(told);
    pipeline.tell('wec2', workloadOf(load), returned({ ...RUNNING, ready: 1 }));
    await pipeline.settle();
    expect(await errors()).toEqual(told);

    pipeline.tell('wec2', workloadOf(load), returned(COMPLETE));
    await pipeline.settle();
    expect(await errors()).toEqual([]);
  });

  it('is not reported if no status is requested anymore: a status that cannot be cleared belongs to no Binding', async () => {
    const { name, namespace } = load;
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec: {} };
    pipeline.wds.apply(load, job);
    pipeline.wds.apply(ALL, binding(['wec1'], [load]));
    pipeline.tell('wec1', workloadOf(load), returned(COMPLETE));
    await pipeline.settle();
    pipeline.wds.apply(ALL, binding(['wec1'], [load], {}));
    await pipeline.settle();
    expect(await shown(pipeline, load, 'status', 'conditions')).toHaveLength(2);
    expect(await shown(pipeline, load, 'metadata', 'labels')).toEqual({});
    expect(await errors()).toEqual([]);
  });
});

describe('a Binding and its BindingPolicy', () => {
  it('both name the missing collectors, and the UID of the policy names the CombinedStatus', async () => {
    applyThing(pipeline, WEB);
    pipeline.wds.apply(POLICY, { kind: 'BindingPolicy', metadata: {}, spec: {} });
    pipeline.wds.apply(ALL, binding(['wec1'], [WEB], COLLECT));
    await pipeline.settle();
    for (const ref of [ALL, POLICY])
      expect(await shown(pipeline, ref, 'status', 'conditions')).toMatchObject([
        { status: 'False', message: 'Missing StatusCollector(s) [count]' },
      ]);
    pipeline.wds.apply(COUNT, { ...COUNT_SPEC, spec: {} });
    await pipeline.settle();
    const message = invalidCollectors('count');
    expect(await shown(pipeline, ALL, 'status', 'conditions')).toMatchObject([{ message }]);
    pipeline.wds.apply(COUNT, COUNT_SPEC);
    await pipeline.settle();
    expect(await shown(pipeline, POLICY, 'status', 'conditions')).toMatchObject([
      { status: 'True' },
    ]);
    const [combined] = combinedStatuses(pipeline);
    const uids = [await shown(pipeline, WEB, 'metadata', 'uid')];
    uids.push(await shown(pipeline, POLICY, 'metadata', 'uid'));
    expect(combined?.['metadata']).toMatchObject({ name: uids.join('.') });
  });
});

describe('a CombinedStatus', () => {
  it('of a cluster-scoped object stands in kubestellar-report, which is created if need be', async () => {
    const ref = { ...WEB, namespace: '' };
    applyThing(pipeline, ref);
    pipeline.wds.apply(COUNT, COUNT_SPEC);
    pipeline.wds.apply(ALL, binding(['wec1'], [ref], COLLECT));
    await pipeline.settle();
    expect(combinedStatuses(pipeline)).toMatchObject([
      { metadata: { namespace: 'kubestellar-report' } },
    ]);
    expect(pipeline.writes).toContain('create namespaces/kubestellar-report');
    expect(pipeline.failures).toEqual([]);
  });

  it('has labels of at most 63 characters, and its deletion is made good all the same', async () => {
    const ref = thing(`web-${'x'.repeat(100)}`);
    applyThing(pipeline, ref);
    pipeline.wds.apply(COUNT, COUNT_SPEC);
    pipeline.wds.apply(ALL, binding(['wec1'], [ref], COLLECT));
    await pipeline.settle();
    const [combined] = combinedStatuses(pipeline);
    const labels = at(combined, 'metadata', 'labels');
    const values = isObject(labels) ? Object.values(labels).map(String) : [];
    expect(values).toHaveLength(5);
    for (const value of values) expect(value.length).toBeLessThan(64);
    const [found] = pipeline.wds.objects().filter((one) => one.object === combined);
    if (found !== undefined) pipeline.wds.remove(found.ref);
    expect(combinedStatuses(pipeline)).toEqual([]);
    await pipeline.settle();
    expect(combinedStatuses(pipeline)).toHaveLength(1);
  });
});

describe('nothing is written', () => {
  it('when everything is reported again', async () => {
    applyThing(pipeline, WEB);
    pipeline.wds.apply(COUNT, COUNT_SPEC);
    const asked = { ...COLLECT, wantMultiWECReportedState: true };
    pipeline.wds.apply(ALL, binding(['wec1', 'wec2'], [WEB], asked));
    const say = () => {
      for (const wec of ['wec1', 'wec2'])
        pipeline.tell(wec, workloadOf(WEB), returned({ phase: 'Good' }));
    };
    say();
    await pipeline.settle();
    expect(await shown(pipeline, WEB, 'status')).toMatchObject({ phase: 'Good' });
    const before = pipeline.writes.length;
    say();
    pipeline.relist();
    await pipeline.settle();
    expect(pipeline.writes.slice(before)).toEqual([]);
  });

  it('to a Namespace, whatever its WECs return', async () => {
    const ref = { group: '', version: 'v1', resource: 'namespaces', namespace: '', name: 'shop' };
    pipeline.wds.apply(ref, { apiVersion: 'v1', kind: 'Namespace', metadata: {}, status: {} });
    pipeline.wds.apply(ALL, binding(['wec1'], [ref]));
    pipeline.tell('wec1', workloadOf(ref), returned({ phase: 'Terminating' }));
    await pipeline.settle();
    expect(pipeline.writes.filter((write) => write.includes('namespaces'))).toEqual([]);
  });
});

describe('the status of a BindingPolicy', () => {
  it('has its present generation, even if there is nothing else to report', async () => {
    const policy = { kind: 'BindingPolicy', metadata: {}, spec: { clusterSelectors: [{}] } };
    pipeline.wds.apply(POLICY, policy);
    await pipeline.settle();
    const apiVersion = 'control.kubestellar.io/v1alpha1';
    const standing = await pipeline.wds.api.get(POLICY);
    pipeline.wds.apply(POLICY, { ...standing, apiVersion, spec: { clusterSelectors: [] } });
    await pipeline.settle();
    const generation = await shown(pipeline, POLICY, 'metadata', 'generation');
    expect(generation).toBe(2);
    expect(await shown(pipeline, POLICY, 'status', 'observedGeneration')).toBe(generation);
  });

  it('stays as it is while the policy is being deleted and has no Binding anymore', async () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { name: 'all', deletionTimestamp, finalizers: ['a.example/b'] };
    pipeline.wds.apply(POLICY, { kind: 'BindingPolicy', metadata, spec: { downSync: [] } });
    await pipeline.settle();
    expect(await shown(pipeline, POLICY, 'status')).toBeUndefined();
    pipeline.wds.apply(ALL, binding(['wec1'], []));
    await pipeline.settle();
    expect(await shown(pipeline, POLICY, 'status', 'errors')).toEqual([
      `starfold: spec.downSync: ${misspeltField('downsync')}`,
    ]);
  });
});

describe('a CombinedStatus that somebody made', () => {
  const ref = { ...control('combinedstatuses', 'made.up'), namespace: 'shop' };
  const made = (labels: JsonObject): JsonObject => ({
    kind: 'CombinedStatus',
    metadata: { name: 'made.up', namespace: 'shop', labels },
    results: [],
  });
  const labels = {
    'status.kubestellar.io/api-group': 'example.org',
    'status.kubestellar.io/resource': 'things',
    'status.kubestellar.io/namespace': 'shop',
    'status.kubestellar.io/name': 'web',
  };

  it.each([
    ['that no Binding names', []],
    ['that a Binding sends out without collectors', [WEB]],
  ])('goes when it is labelled as of an object %s', async (_which, objects) => {
    applyThing(pipeline, WEB);
    pipeline.wds.apply(ALL, binding(['wec1'], objects));
    pipeline.snapshot();
    pipeline.snapshot({ type: 'wec', name: 'wec1' });
    await pipeline.settle();
    pipeline.wds.apply(ref, made(labels));
    await pipeline.settle();
    expect(await pipeline.wds.api.get(ref)).toBeUndefined();
    expect(pipeline.failures).toEqual([]);
  });

  it.each([
    ['without labels', {}],
    ['with labels that name no object', { 'status.kubestellar.io/api-group': '' }],
  ])('goes %s, each time, and nothing else is written', async (_which, given) => {
    pipeline.snapshot();
    for (const namespace of ['shop', 'kubestellar-report', 'shop']) {
      const stray = { ...ref, namespace };
      pipeline.wds.apply(stray, { ...made(given), metadata: { name: ref.name, namespace } });
      await pipeline.settle();
      expect(await pipeline.wds.api.get(stray)).toBeUndefined();
    }
    expect(pipeline.writes).toHaveLength(3);
    expect(pipeline.failures).toEqual([]);
  });

  it('under a name that is desired is taken over, and its deletion is made good', async () => {
    const name = `web-${'x'.repeat(100)}`;
    applyThing(pipeline, thing(name));
    pipeline.wds.apply(COUNT, COUNT_SPEC);
    pipeline.wds.apply(ALL, binding(['wec1'], [thing(name)], COLLECT));
    await pipeline.settle();
    const [wanted] = combinedStatuses(pipeline);
    const stray = { ...ref, name: String(at(wanted, 'metadata', 'name')) };
    pipeline.wds.apply(ALL, binding(['wec1'], []));
    await pipeline.settle();
    expect(combinedStatuses(pipeline)).toEqual([]);
    // Wanted again, and somebody else makes it first.
    pipeline.wds.apply(ALL, binding(['wec1'], [thing(name)], COLLECT));
    pipeline.wds.apply(stray, { ...made({}), metadata: { name: stray.name, namespace: 'shop' } });
    await pipeline.settle();
    expect(combinedStatuses(pipeline)).toMatchObject([{ results: [{ name: 'count' }] }]);
    pipeline.relist();
    await pipeline.settle();
    pipeline.wds.remove(stray);
    await pipeline.settle();
    expect(combinedStatuses(pipeline)).toMatchObject([{ results: [{ name: 'count' }] }]);
    expect(pipeline.failures).toEqual([]);
  });
});
