import { describe, expect, it } from 'vitest';
import { writeWorkloadObject } from '#functions/write-results/workload-object.ts';
import { MemoryWds } from '#local/cli/eval/memory-wds.ts';
import { writeDeps } from '#local/cli/eval/without-state.ts';
import { allReporting, neverReportedWec, silentSince } from '#shared/core/binding/messages.ts';
import {
  contentOf,
  type DesiredState,
  desiredState,
  desiredWorkload,
  type ReportedObject,
  type WdsState,
} from '#shared/core/desired/desired-state.ts';
import {
  type ControlObject,
  destinationsOf,
  readMembership,
} from '#shared/core/desired/membership.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { MAX_OBJECT_BINDINGS } from '#shared/core/limits.ts';
import { unknownSchema } from '#shared/core/schema/crd-schema.ts';

const CONFIG = { group: 'example.com', version: 'v1', resource: 'gadgets' };
const REF = {
  wds: 'wds1',
  group: CONFIG.group,
  resource: CONFIG.resource,
  namespace: 'n',
  name: 'g',
};

function gadget(name = 'g'): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name, namespace: 'n' } };
}

/** An object in the WDS, and the statuses in the WECs that have it. */
function reported(statuses: Readonly<Record<string, JsonObject>>, name = 'g'): ReportedObject {
  const rows = Object.entries(statuses).map(
    ([wec, status]) => [wec, { wec, row: { wec, uid: '', generation: 0, status } }] as const,
  );
  const ref = { ...REF, name };
  return { ref, uid: `uid-${name}`, object: gadget(name), rows: new Map(rows), specs: new Map() };
}

interface Asked extends JsonObject {
  readonly statusCollectors?: readonly string[];
  readonly wantSingletonReportedState?: boolean;
  readonly wantMultiWECReportedState?: boolean;
}

/** A Binding that sends Gadgets to WECs. */
function binding(
  name: string,
  asked: Asked,
  { wecs = ['w1'], objects = ['g'], resource = CONFIG, owner = '', created = '' } = {},
): ControlObject {
  const named = objects.map((one) => ({ ...resource, namespace: 'n', name: one, ...asked }));
  const ownerReferences = owner === '' ? [] : [{ kind: 'BindingPolicy', uid: owner }];
  const object = {
    metadata: { name, ownerReferences, creationTimestamp: created },
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: { namespaceScope: named },
    },
  };
  return { name, uid: `uid-${name}`, object };
}

function collector(name: string, expression: string): ControlObject {
  const spec = { select: [{ name: 'value', def: expression }], limit: 10 };
  return { name, uid: '', object: { metadata: { name, generation: 3 }, spec } };
}

interface Given {
  readonly workloads?: readonly ReportedObject[];
  readonly bindings?: readonly ControlObject[];
  readonly policies?: readonly ControlObject[];
  readonly collectors?: readonly ControlObject[];
  readonly silent?: readonly string[];
  readonly more?: Partial<WdsState>;
}

function desired({ workloads = [], bindings = [], ...given }: Given): DesiredState {
  const { policies = [], collectors = [], silent = [], more = {} } = given;
  const control = { bindings, policies, collectors };
  return desiredState({
    ...control,
    ...{ wds: 'wds1', workloads, schemaOf: unknownSchema },
    membership: readMembership(control),
    silent: new Map(silent.map((wec) => [wec, undefined])),
    ...more,
  });
}

const MULTI = { wantMultiWECReportedState: true };
const PHASE = { statusCollectors: ['phase'] };
const READY = { phase: 'Ready' };
const OWNED = { owner: 'uid-of-owner' };

describe('the collectors of a Binding', () => {
  it('are checked against the kind of the object as far as they have room beside each other', () => {
    const names = Array.from({ length: 8 }, (_name, index) => `c${index}`);
    const patterns = Array.from({ length: 90 }, (_c, i) => `"x".matches("[ab]*a[ab]{8}${i}")`);
    const select = ['obj.metadata.nope', ...patterns].map((def, i) => ({ name: `${i}`, def }));
    const collectors = names.map(
      (name): ControlObject => ({
        name,
        uid: '',
        object: { metadata: { name }, spec: { select } },
      }),
    );
    const { bindings, workloads } = desired({
      workloads: [reported({ w1: READY })],
      bindings: [binding('b', { statusCollectors: names })],
      collectors,
    });
    const found = bindings.get('b');
    expect(found?.missingCollectors).toEqual([]);
    expect(found?.errors.filter((error) => error.includes('has no field'))).toHaveLength(6);
    expect(workloads[0]?.bindingErrors.get('b')).toEqual([
      expect.stringContaining('StatusCollector c6'),
      expect.stringContaining('StatusCollector c7'),
    ]);
  });
});

describe('a workload object as expressions see it', () => {
  it.each([
    { what: 'none where each write of its status is one', subresource: '', generation: undefined },
    { what: 'its own where the status is a subresource', subresource: 'status', generation: 7 },
  ])('has a generation: $what', ({ subresource, generation }) => {
    const fieldsV1 = { 'f:status': { 'f:phase': {} } };
    const managedFields = [{ manager: 'starfold', operation: 'Update', subresource, fieldsV1 }];
    const metadata = { name: 'g', namespace: 'n', generation: 7, managedFields };
    const content = contentOf({ object: { ...gadget(), metadata }, uid: 'u' });
    expect(at(content, 'metadata', 'generation')).toBe(generation);
    expect(at(content, 'metadata', 'uid')).toBe('u');
  });

  it('has a uid also if its metadata cannot be read', () => {
    expect(contentOf({ object: { ...gadget(), metadata: 1 }, uid: 'u' }).metadata).toEqual({
      uid: 'u',
    });
  });
});

describe('what a WDS should say of a workload object', () => {
  it('is nothing if no Binding names it', () => {
    const { workloads } = desired({ workloads: [reported({ w1: READY })] });
    expect(workloads.map(({ desired: { status, bindings } }) => [status.type, bindings])).toEqual([
      ['none', []],
    ]);
  });

  it('is the fold of its destinations, of which those count that say nothing', () => {
    const asked = { ...MULTI, ...PHASE };
    const bindings = [binding('b', asked, { wecs: ['w2', 'w1'] }), binding('a', MULTI)];
    const collectors = [collector('phase', 'returned.status.phase')];
    const state = desired({ workloads: [reported({ w1: READY })], bindings, collectors });
    const [result] = state.workloads;
    expect(result?.desired).toMatchObject({ bindings: ['a', 'b'], status: { type: 'status' } });
    expect(result?.desired.combinedStatuses).toMatchObject([
      { namespace: 'n', name: 'uid-g.uid-b', object: { results: [{ name: 'phase' }] } },
    ]);
    expect(destinationsOf(readMembership({ bindings, policies: [], collectors }), REF)).toEqual([
      'w1',
      'w2',
    ]);
  });

  it.each([
    ['of the policy that stands', 'uid-of-policy', 'uid-g.uid-of-policy'],
    ['of the owner where the policy has none', '', 'uid-g.uid-of-owner'],
  ])('has CombinedStatuses with the uid %s', (_what, uid, name) => {
    const policies = [{ name: 'b', uid, object: {} }];
    const bindings = [binding('b', PHASE, OWNED)];
    const { workloads } = desired({ workloads: [reported({})], bindings, policies });
    expect(workloads[0]?.desired.combinedStatuses.map((one) => one.name)).toEqual([name]);
  });

  it('counts WECs as silent only if they are given as silent', () => {
    const collectors = [collector('phase', 'propagation.stale')];
    const bindings = [binding('b', PHASE)];
    const workload = reported({ w1: READY });
    const cell = ({ desired: { combinedStatuses } }: DesiredState['workloads'][number]) =>
      at(combinedStatuses[0]?.object, 'results');
    const [silent, speaking] = [['w1'], []].map((names) => {
      const [result] = desired({
        workloads: [workload],
        bindings,
        collectors,
        silent: names,
      }).workloads;
      return result && cell(result);
    });
    expect(silent).toMatchObject([{ rows: [{ columns: [{ type: 'Bool', bool: true }] }] }]);
    expect(speaking).toMatchObject([{ rows: [{ columns: [{ type: 'Bool', bool: false }] }] }]);
    const membership = readMembership({ bindings, policies: [], collectors });
    expect(cell(desiredWorkload(membership, workload))).toEqual(speaking);
  });
});

describe('what a Binding should say', () => {
  const errorsOf = (given: Given, name = 'b') => desired(given).bindings.get(name)?.errors;

  it('is which collectors are missing or invalid, and what is wrong with it and its policy', () => {
    const asked = { statusCollectors: ['wrong', 'phase', 'gone'] };
    const bindings = [binding('b', asked)];
    const collectors = [collector('phase', 'returned.status'), collector('wrong', '1 +')];
    const policies = [{ name: 'b', uid: '', object: { metadata: { name: 'b' }, spec: { x: 1 } } }];
    const found = desired({ bindings, collectors, policies }).bindings.get('b');
    expect(found?.missingCollectors).toEqual(['gone', 'wrong']);
    expect(found?.invalidCollectors).toEqual(['wrong']);
    expect(found?.errors).toEqual([]);
    expect(found?.policyErrors).toEqual([expect.stringContaining('spec.x')]);
    expect(errorsOf({ bindings: [{ ...binding('b', {}), object: { spec: 1 } }] })).not.toEqual([]);
  });

  it('is what its collectors ask of objects that these do not have', () => {
    const collectors = [collector('phase', 'obj.metadata.nothing')];
    const errors = errorsOf({ bindings: [binding('b', PHASE)], collectors });
    expect(errors).toEqual([expect.stringContaining('StatusCollector phase')]);
  });

  it('is what is wrong with its objects, in their order', () => {
    const asked = { wantSingletonReportedState: true, ...PHASE };
    const bindings = [binding('b', asked, { wecs: ['w1', 'w2'], objects: ['h', 'g'] })];
    const collectors = [collector('phase', 'returned.status')];
    const rows = new Map([['w1', { wec: 'w1', oversizedBytes: 2_000_000 }]]);
    const workloads = ['h', 'g'].map((name) => ({ ...reported({}, name), rows }));
    const [first = '', ...others] = errorsOf({ workloads, bindings, collectors }) ?? [];
    expect(first).toMatch(/gadgets\.example\.com n\/g \(2\), gadgets\.example\.com n\/h \(2\)/);
    expect(others.map((text) => /n\/[gh]/.exec(text)?.[0])).toEqual(['n/g', 'n/h']);
  });

  it('is that it does not count for an object, also for one that does not stand', () => {
    const names = Array.from({ length: MAX_OBJECT_BINDINGS + 1 }, (_, index) => `b${100 + index}`);
    const bindings = names.map((name) => binding(name, MULTI));
    const older = { created: '2026-11-20T12:00:00Z' };
    const sameAge = bindings.map(({ name }) => binding(name, MULTI, older));
    const newest = binding('b100', MULTI, { created: '2026-11-21T12:00:00Z' });
    const refused = [expect.stringContaining('this Binding is newer')];
    expect(errorsOf({ bindings }, 'b164')).toEqual(refused);
    expect(errorsOf({ bindings, workloads: [reported({})] }, 'b164')).toEqual(refused);
    expect(errorsOf({ bindings }, 'b163')).toEqual([]);
    expect(errorsOf({ bindings: [newest, ...sameAge.slice(1)] }, 'b100')).toEqual(refused);
  });

  it('is what of a status does not come to stand in an object, as the writer says it', async () => {
    const time = '2025-11-01T10:00:00Z';
    const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
      ...{ type, status: 'True', reason: 'Done', lastTransitionTime: time },
    }));
    const complete = { startTime: time, completionTime: time, succeeded: 1, conditions };
    const metadata = { name: 'g', namespace: 'n', uid: 'uid-g', creationTimestamp: time };
    const object = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: {}, status: complete };
    const resource = { group: 'batch', version: 'v1', resource: 'jobs' };
    const ref = { wds: 'wds1', group: 'batch', resource: 'jobs', namespace: 'n', name: 'g' };
    const running = { startTime: time, active: 1, ready: 1 };
    const workload = { ...reported({ w1: running }), ref, uid: 'uid-g', object };
    const state = desired({ workloads: [workload], bindings: [binding('b', MULTI, { resource })] });
    const api = new MemoryWds();
    api.put({ ...ref, version: 'v1' }, object);
    const applied = { revision: 0, hash: '', owned: {}, errorBindings: [], reported: [] };
    const subject = { type: 'workload', workload: ref } as const;
    const context = { deps: writeDeps(api, 0), api, wds: 'wds1', applied, subject };
    const [result] = state.workloads;
    if (result === undefined) throw new Error('there is a result for each');
    const write = { ref: { ...ref, version: 'v1' }, object, desired: result.desired, want: '' };
    const { refused = [] } = await writeWorkloadObject(context, write);
    expect(refused).toHaveLength(1);
    expect(state.bindings.get('b')?.errors).toEqual(
      refused.map((text) => `jobs.batch n/g: ${text}`),
    );
  });
});

describe('what a StatusCollector should say', () => {
  it('is what is wrong with its spec, at its generation', () => {
    const none = { name: 'none', object: {} };
    const { collectors } = desired({
      collectors: [
        collector('phase', 'returned.status'),
        collector('wrong', '1 +'),
        { ...none, uid: '' },
      ],
    });
    expect(collectors.get('phase')).toEqual({ observedGeneration: 3, errors: [] });
    expect(collectors.get('wrong')?.errors).toHaveLength(1);
    expect(collectors.get('none')).toMatchObject({ observedGeneration: 0 });
  });
});

/** The object with an annotation. */
function silentAfter<One extends { readonly object: JsonObject }>(one: One, text: string): One {
  const metadata = Object(one.object['metadata']);
  const annotations = { 'starfold.dev/silent-after': text };
  return { ...one, object: { ...one.object, metadata: { ...metadata, annotations } } };
}

describe('a WEC that has been silent for longer than an object allows', () => {
  const CONDITION = { type: 'Ready', status: 'True' };
  const rows = { w1: { conditions: [CONDITION] }, w2: { conditions: [CONDITION] } };
  const all = binding('b', MULTI, { wecs: ['w1', 'w2'] });
  /** w2 has been silent for 11 minutes. */
  const silentFor = (silenceMs: number): ReadonlySet<string> =>
    new Set(silenceMs < 660_000 ? ['w2'] : []);

  function ready(given: Given): unknown {
    const [result] = desired({
      workloads: [reported(rows)],
      more: { silentFor },
      ...given,
    }).workloads;
    const status = result?.desired.status;
    return status?.type === 'status' ? at(status.status, 'conditions') : undefined;
  }
  const TRUE = [expect.objectContaining({ status: 'True' })];
  const UNKNOWN = [expect.objectContaining({ status: 'Unknown' })];

  it('counts as before if no collector asks', () => {
    expect(ready({ bindings: [all] })).toEqual(TRUE);
  });

  it.each<[string, Given, unknown]>([
    ['a Binding', { bindings: [silentAfter(all, '10m')] }, UNKNOWN],
    ['a Binding that waits longer', { bindings: [silentAfter(all, '12m')] }, TRUE],
    [
      'its policy',
      { bindings: [all], policies: [silentAfter({ ...all, uid: 'p' }, '10m')] },
      UNKNOWN,
    ],
    [
      'a policy whose Binding waits longer',
      { bindings: [silentAfter(all, '12m')], policies: [silentAfter({ ...all, uid: 'p' }, '10m')] },
      TRUE,
    ],
    [
      'another Binding of the object',
      { bindings: [silentAfter(all, '12m'), silentAfter(binding('c', {}), '10m')] },
      UNKNOWN,
    ],
    ['the object', { bindings: [all], workloads: [silentAfter(reported(rows), '10m')] }, UNKNOWN],
    [
      'the object, which waits longer',
      { bindings: [silentAfter(all, '10m')], workloads: [silentAfter(reported(rows), '12m')] },
      TRUE,
    ],
  ])('has said nothing, if so asked by %s', (_who, given, conditions) => {
    expect(ready(given)).toEqual(conditions);
  });

  it('counts while nothing is known of silences', () => {
    expect(ready({ bindings: [silentAfter(all, '10m')], more: {} })).toEqual(TRUE);
  });

  it('and a wrong time is an error of the Bindings that names object, annotation and remedy', () => {
    const wrong = [silentAfter(reported(rows), '10 minutes')];
    const { bindings } = desired({ workloads: wrong, bindings: [all] });
    expect(bindings.get('b')?.errors).toEqual([
      expect.stringMatching(
        /gadgets.*n\/g: metadata.annotations\[starfold.dev\/silent-after\]: "10 minutes" .*write a duration/,
      ),
    ]);
  });
});

describe('what a Binding says of its WECs', () => {
  const silent = new Map([['w2', { since: '2026-11-25T10:00:00Z' }]]);
  const NONE: typeof silent = new Map();
  const heard: WdsState['heard'] = {
    silent: (silenceMs) => (silenceMs < 300_000 ? silent : NONE),
    hasReported: (wec) => wec !== 'w3',
  };
  const said = (one: ControlObject, more: Partial<WdsState> = { heard }) =>
    desired({ bindings: [one], more }).bindings.get('b')?.reporting?.message;

  it('is nothing while that is not known', () => {
    expect(said(binding('b', MULTI), {})).toBeUndefined();
  });

  it('is who is silent, after its own time if that is less than five minutes, and who has never reported', () => {
    expect(said(binding('b', MULTI, { wecs: ['w1', 'w2'] }))).toBe(allReporting(2));
    expect(said(binding('b', MULTI, { wecs: ['w1', 'w3'] }))).toContain(neverReportedWec('w3'));
    const soon = silentAfter(binding('b', MULTI, { wecs: ['w1', 'w2'] }), '2m');
    expect(said(soon)).toContain(silentSince('w2', '2026-11-25T10:00:00Z'));
  });
});
