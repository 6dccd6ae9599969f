import { describe, expect, it } from 'vitest';
import type { ReportedObject } from '#shared/core/desired/desired-state.ts';
import { readMembership } from '#shared/core/desired/membership.ts';
import { type ExplainedWorkload, explainWorkload } from '#shared/core/explanation/explanation.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { MAX_STATUS_BYTES } from '#shared/core/limits.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import {
  BEING_DELETED,
  decisionReason,
  largeStatus,
  NOT_REPORTED,
  noneReturned,
  onlyOneWec,
  WRITTEN_BY_WDS,
} from '#shared/core/status-api/messages.ts';
import { condition, counts, deployment, reported } from '#test/fixtures/wec-rows.ts';

type Flags = { readonly singleton?: boolean; readonly multi?: boolean };

function binding(name: string, wecs: readonly string[], { singleton, multi }: Flags) {
  const object: JsonObject = {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name },
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: [
          {
            ...{ group: 'apps', version: 'v1', resource: 'deployments' },
            ...{ namespace: 'shop', name: 'web', resourceVersion: '1' },
            wantSingletonReportedState: singleton === true,
            wantMultiWECReportedState: multi === true,
          },
        ],
        clusterScope: [
          {
            ...{ group: 'example.com', version: 'v1', resource: 'widgets', name: 'web' },
            ...{ resourceVersion: '1', wantMultiWECReportedState: multi === true },
          },
        ],
      },
    },
  };
  return { name, uid: `uid-${name}`, object };
}

function membershipOf(...bindings: readonly ReturnType<typeof binding>[]) {
  return readMembership({ bindings, policies: [], collectors: [] });
}

function workload(rows: readonly PerWecRow[], object: JsonObject = deployment()): ReportedObject {
  const ref = {
    wds: 'wds1',
    group: 'apps',
    resource: 'deployments',
    namespace: 'shop',
    name: 'web',
  };
  return {
    ref,
    uid: 'wds-web',
    object,
    rows: new Map(rows.map((row) => [row.wec, row])),
    specs: new Map<string, JsonValue>(),
  };
}

const ROWS = [reported('wec1', counts(3, [3, 3, 3])), reported('wec2', counts(3, [3, 1, 1]))];
const MULTI = membershipOf(binding('bp', ['wec1', 'wec2', 'wec3'], { multi: true }));
const SINGLETON = membershipOf(binding('bp', ['wec1', 'wec2'], { singleton: true }));
const TWO = membershipOf(
  binding('a', ['wec1'], { multi: true }),
  binding('b', ['wec2'], { singleton: true }),
);

function explain(more: Partial<ExplainedWorkload> = {}) {
  return explainWorkload({ workload: workload(ROWS), membership: MULTI, ...more });
}

describe('the explanation of a workload object', () => {
  it('has the object, the decision, the WECs, the verdict and the fields', () => {
    const { fields, ...rest } = explain();
    expect(rest).toEqual({
      apiVersion: 'status.starfold.dev/v1alpha1',
      kind: 'Explanation',
      metadata: { name: 'deployments.apps:web', namespace: 'shop' },
      workload: {
        ...{ group: 'apps', resource: 'deployments', kind: 'Deployment' },
        ...{ namespace: 'shop', name: 'web' },
      },
      decision: {
        action: 'Aggregate',
        reason: decisionReason({ singleton: 0, multiWEC: 1 }, 3),
        bindings: [{ name: 'bp', singleton: false, multiWEC: true, destinations: 3 }],
      },
      wecs: { qualified: 3, reported: 2, silent: [], missing: ['wec3'], tooLarge: [] },
      verdict: {
        status: 'Progressing',
        message:
          'Waiting for rollout to finish: observed deployment generation less than desired generation',
        decidedBy: ['wec2', 'wec3'],
        others: { Healthy: 1 },
      },
      deciders: [
        { wec: 'wec1', state: 'Reported', health: { status: 'Healthy' } },
        {
          ...{ wec: 'wec2', state: 'Reported' },
          health: {
            status: 'Progressing',
            message: 'Waiting for rollout to finish: 1 of 3 updated replicas are available...',
          },
        },
        {
          ...{ wec: 'wec3', state: 'NotReported' },
          health: { status: 'Missing', message: NOT_REPORTED },
        },
      ],
    });
    expect(fields.map(({ path }) => path)).toEqual([
      ...['availableReplicas', 'observedGeneration', 'readyReplicas', 'replicas'],
      ...['unavailableReplicas', 'updatedReplicas'],
    ]);
  });

  it('shows what the status would be without a WEC', () => {
    const { without, wecs, verdict, fields } = explain({ without: ['wec3'] });
    expect({ without, wecs }).toMatchObject({ without: ['wec3'], wecs: { qualified: 2 } });
    expect(verdict).toMatchObject({ decidedBy: ['wec2'], others: { Healthy: 1 } });
    expect(fields.find(({ path }) => path === 'availableReplicas')).toMatchObject({
      value: 1,
      decidedBy: [{ wec: 'wec2', value: 1 }],
    });
  });

  it.each([
    { what: 'one WEC of three', membership: MULTI, gone: ['wec3'], action: 'Aggregate' },
    { what: 'all WECs but one', membership: MULTI, gone: ['wec2', 'wec3'], action: 'Copy' },
    { what: 'all WECs', membership: MULTI, gone: ['wec1', 'wec2', 'wec3'], action: 'Clear' },
    { what: 'a WEC of a singleton', membership: SINGLETON, gone: ['wec2'], action: 'Copy' },
    { what: 'all WECs of a Binding', membership: TWO, gone: ['wec2'], action: 'Copy' },
  ])('without $what is that of Bindings that do not name them', ({ membership, gone, action }) => {
    const { without, ...told } = explain({ membership, without: gone });
    expect(without).toEqual(gone);
    expect(told.decision.action).toBe(action);
    const left = membership.bindings.map(({ given, spec }) => {
      const [object] = [...spec.objects];
      const wecs = spec.destinations.filter((wec) => !gone.includes(wec));
      const { wantSingletonReportedState, wantMultiWECReportedState } = object?.modulation ?? {};
      return binding(given.name, wecs, {
        singleton: wantSingletonReportedState === true,
        multi: wantMultiWECReportedState === true,
      });
    });
    expect(told).toEqual(explain({ membership: membershipOf(...left) }));
  });

  it('says whether the WDS has the status, if it is told', () => {
    const told = explain({ applied: { upToDate: true }, refused: [] });
    expect(told).toMatchObject({ applied: { upToDate: true }, refused: [] });
    expect(Object.keys(explain())).not.toContain('applied');
  });

  it('names at most ten WECs that decide the verdict, and counts the others', () => {
    const names = Array.from({ length: 14 }, (_none, index) => `wec${10 + index}`);
    const rows = names.map((wec) => reported(wec, counts(3, [3, 1, 1])));
    const membership = membershipOf(binding('bp', [...names, 'wec1'], { multi: true }));
    const all = [...rows, reported('wec1', counts(3, [3, 3, 3]))];
    const { verdict } = explain({ workload: workload(all), membership });
    expect(verdict?.decidedBy).toEqual(names.slice(0, 10));
    expect(verdict?.others).toEqual({ Progressing: 4, Healthy: 1 });
  });

  it('has the fields of an object without a namespace and a rule of its own', () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'web' } };
    const ref = { wds: 'wds1', group: '', resource: 'widgets', namespace: '', name: 'web' };
    const rows = [reported('wec1', { a: { b: 1 } }), reported('wec2', { a: { b: 2 } })];
    const widget = {
      ...workload([...rows, reported('wec3', { a: { b: 2 } })], object),
      ref: { ...ref, group: 'example.com' },
    };
    const explained = explain({ workload: widget });
    expect(explained).toMatchObject({
      kind: 'ClusterExplanation',
      metadata: { name: 'widgets.example.com:web' },
      fields: [{ path: 'a.b', value: 1, decidedBy: [{ wec: 'wec1', value: 1 }] }],
    });
    expect(Object.keys(explained)).not.toContain('verdict');
    expect(explain({ workload: { ...widget, ref } })).toMatchObject({
      metadata: { name: 'widgets:web' },
    });
  });
});

describe('the WECs of an explanation', () => {
  it('are silent, too large or missing, each of them once', () => {
    const rows = [...ROWS, { wec: 'wec4', oversizedBytes: 9 }];
    const wecs = ['wec1', 'wec2', 'wec3', 'wec4', 'wec5'];
    const explained = explain({
      workload: workload(rows),
      membership: membershipOf(binding('bp', wecs, { multi: true })),
      silent: new Map(['wec2', 'wec5', 'wec9'].map((wec) => [wec, undefined])),
    });
    expect(explained.wecs).toEqual({
      ...{ qualified: 5, reported: 2, silent: ['wec2', 'wec5'] },
      ...{ missing: ['wec3'], tooLarge: ['wec4'] },
    });
  });

  it('have reported nothing if they are silent for longer than the object allows', () => {
    const { metadata, ...rest } = deployment();
    const annotated = {
      ...rest,
      metadata: { ...metadata, annotations: { 'starfold.dev/silent-after': '10m' } },
    };
    const object = workload(ROWS, annotated);
    const silentFor = (ms: number) => new Set(ms === 600_000 ? ['wec2'] : []);
    expect(explain({ workload: object, silentFor }).wecs).toMatchObject({
      ...{ reported: 1, silent: ['wec2'], missing: ['wec3'] },
    });
    expect(explain({ workload: object }).wecs).toMatchObject({ reported: 2, silent: [] });
  });
});

describe('the WECs that decide', () => {
  const wecs = ['wec1', 'wec2', 'wec3', 'wec4', 'wec5'];
  const membership = membershipOf(binding('bp', wecs, { multi: true }));
  const states = (more: Partial<ExplainedWorkload> = {}) =>
    explain({ membership, ...more }).deciders.map(
      ({ wec, state, health }) => `${wec} ${state} ${health?.status}`,
    );

  it('are those of the verdict and those of all fields, by name', () => {
    const conditions = [condition('Available', ['True', 'MinimumReplicasAvailable'])];
    const rows = ['wec1', 'wec2'].map((wec) =>
      reported(wec, { ...counts(3, [3, 3, 3]), conditions }),
    );
    const two = membershipOf(binding('bp', ['wec1', 'wec2'], { multi: true }));
    const { deciders, verdict, fields } = explain({ workload: workload(rows), membership: two });
    const named = fields.flatMap(({ decidedBy = [] }) =>
      decidedBy.map((one) => ('wec' in one ? one.wec : 'all')),
    );
    const all = new Set([...named, ...(verdict?.decidedBy ?? [])]);
    expect(all.delete('all')).toBe(true);
    expect(deciders.map(({ wec }) => wec)).toEqual([...all].sort());
  });

  it('have the state of what they report', () => {
    const rows = [...ROWS, { wec: 'wec4', oversizedBytes: 9 }];
    const object = { ...workload(rows), missing: new Set(['wec5']) };
    expect(states({ workload: object, silent: new Map([['wec2', undefined]]) })).toEqual([
      ...['wec1 Reported Healthy', 'wec2 Silent Progressing', 'wec3 NotReported Missing'],
      ...['wec4 TooLarge Missing', 'wec5 Missing Missing'],
    ]);
  });

  it('have what they said last, if they are silent for longer than the object allows', () => {
    const { metadata, ...rest } = deployment();
    const annotations = { 'starfold.dev/silent-after': '10m' };
    const object = workload(ROWS, { ...rest, metadata: { ...metadata, annotations } });
    const silentFor = () => new Set(['wec2']);
    expect(states({ workload: object, silentFor })).toContain('wec2 Silent Progressing');
  });

  it('have no verdict of a kind that Argo CD does not judge', () => {
    const object = { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'web' } };
    const rows = [reported('wec1', { a: 1 }), reported('wec2', { a: 1 })];
    const two = membershipOf(binding('bp', ['wec1', 'wec2'], { multi: true }));
    const { deciders } = explain({ workload: workload(rows, object), membership: two });
    expect(deciders).toEqual([{ wec: 'wec1', state: 'Reported' }]);
  });

  it('are none without a status', () => {
    const { deciders } = explain({ membership: membershipOf(binding('a', wecs, {})) });
    expect(deciders).toEqual([]);
  });
});

describe('the decision of an explanation', () => {
  const two = ['wec1', 'wec2'];

  it.each([
    ['Clear', [], decisionReason({ singleton: 0, multiWEC: 0 }, 0)],
    ['Clear', [binding('a', two, {})], decisionReason({ singleton: 0, multiWEC: 0 }, 0)],
    [
      'Clear',
      [binding('a', two, { singleton: true })],
      onlyOneWec(decisionReason({ singleton: 1, multiWEC: 0 }, 2)),
    ],
    [
      'Copy',
      [binding('a', ['wec1'], { singleton: true })],
      decisionReason({ singleton: 1, multiWEC: 0 }, 1),
    ],
    [
      'Aggregate',
      [binding('a', two, { multi: true }), binding('b', two, { multi: true, singleton: true })],
      decisionReason({ singleton: 1, multiWEC: 2 }, 2),
    ],
    [
      'Clear',
      [binding('a', ['wec3', 'wec4'], { multi: true })],
      noneReturned(decisionReason({ singleton: 0, multiWEC: 1 }, 2)),
    ],
    [
      'Clear',
      [binding('a', ['wec3'], { multi: true })],
      noneReturned(decisionReason({ singleton: 0, multiWEC: 1 }, 1)),
    ],
  ] as const)('is %s for %#', (action, bindings, reason) => {
    const { decision, ...rest } = explain({ membership: membershipOf(...bindings) });
    expect(decision).toMatchObject({ action, reason });
    expect(rest.fields.length > 0).toBe(action !== 'Clear');
    expect(rest.verdict === undefined).toBe(action === 'Clear');
  });

  it('is to leave an object that is being deleted, or whose status is the own one of the WDS', () => {
    const { metadata, ...rest } = deployment();
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const deleted = { ...rest, metadata: { ...metadata, deletionTimestamp } };
    expect(explain({ workload: workload(ROWS, deleted) })).toMatchObject({
      decision: { action: 'Leave', reason: BEING_DELETED },
      fields: [],
    });
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } };
    expect(explain({ workload: workload(ROWS, namespace) }).decision).toMatchObject({
      ...{ action: 'Leave', reason: WRITTEN_BY_WDS },
    });
  });

  it('is to clear a status that is too large', () => {
    const rows = ['wec1', 'wec2', 'wec3'].map((wec) =>
      reported(wec, { text: 'x'.repeat(MAX_STATUS_BYTES) }),
    );
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'web' } };
    expect(explain({ workload: workload(rows, object) })).toMatchObject({
      decision: {
        action: 'Clear',
        reason: largeStatus(decisionReason({ singleton: 0, multiWEC: 1 }, 3), MAX_STATUS_BYTES),
      },
      fields: [],
    });
  });
});

describe('the fields of a copied status', () => {
  it('are all decided by the WEC', () => {
    const membership = membershipOf(binding('a', ['wec2'], { multi: true }));
    const { fields, verdict } = explain({ membership });
    expect(verdict).toMatchObject({ status: 'Progressing', decidedBy: ['wec2'], others: {} });
    expect(fields[0]).toEqual({
      path: 'availableReplicas',
      value: 1,
      rule: 'copy',
      documentation: 'rules.md#copy',
      decidedBy: [{ wec: 'wec2', value: 1 }],
    });
    expect(fields).toHaveLength(6);
  });

  it('are those of a kind that Argo CD does not judge', () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'web' } };
    const status = { conditions: [{ type: 'A' }, { type: 'A' }], none: null, empty: {}, list: [1] };
    const membership = membershipOf(binding('a', ['wec1'], { multi: true }));
    const { fields, verdict } = explain({
      workload: workload([reported('wec1', status)], object),
      membership,
    });
    expect(verdict).toBeUndefined();
    const paths = fields.map(({ path }) => path);
    expect(paths).toEqual(['conditions[A]', 'empty', 'list[0]', 'none']);
  });
});

it('a field that an API server would not let change is kept, and no WEC decides it', () => {
  const object = { ...deployment(), status: { collisionCount: 2 } };
  const { fields } = explain({ workload: workload(ROWS, object) });
  expect(fields.find(({ path }) => path === 'collisionCount')).toEqual({
    path: 'collisionCount',
    value: 2,
    rule: 'kept',
    documentation: 'rules.md#what-an-api-server-rejects',
    departs: 'the wanted status has no such field',
  });
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { type: 'ClusterIP' },
  };
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
  const membership = membershipOf(binding('a', ['wec1'], { multi: true }));
  const copied = explain({ workload: workload([reported('wec1', status)], service), membership });
  expect(copied.fields).toMatchObject([{ path: 'loadBalancer', rule: 'kept', value: {} }]);
  const ended = { type: 'Complete', status: 'True' };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'web' },
    spec: {},
    status: { startTime: '2026-01-01T00:00:00Z', conditions: [ended] },
  };
  const running = reported('wec1', { active: 1, startTime: '2026-01-01T00:00:00Z' });
  const { fields: ofJob } = explain({ workload: workload([running], job), membership });
  expect(ofJob.find(({ path }) => path === 'active')).toMatchObject({
    ...{ omitted: true, rule: 'kept', departs: 'the wanted value is 1' },
  });
});
