import { describe, expect, test } from 'vitest';
import { boardOf, shownWorkloads } from '#local/start/board.ts';
import { type ClusterObjects, CONTROL } from '#local/start/observation.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

function binding(name: string, wecs: readonly string[], asks: JsonObject): JsonObject {
  const place = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' };
  return {
    metadata: { name },
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        clusterScope: [{ version: 'v1', resource: 'nodes', name: 'n' }],
        namespaceScope: [{ ...place, name: 'web', ...asks }],
      },
    },
  };
}

function clusters(content: readonly (readonly [string, Omit<Resource, 'version'>, JsonObject])[]) {
  const view: ClusterObjects = {
    wds: 'hub',
    wecs: ['a', 'b'],
    sight: (cluster) => ({ state: cluster === 'c' ? 'elsewhere' : 'seen' }),
    objects: (cluster, { group, resource }) =>
      new Map(
        content
          .filter(([of, one]) => of === cluster && one.group === group && one.resource === resource)
          .map(([, , object]) => [
            `${String(at(object, 'metadata', 'namespace'))}/${String(at(object, 'metadata', 'name'))}`,
            object,
          ]),
      ),
  };
  return view;
}

describe('which workload objects are shown', () => {
  test.each([
    [{ wantMultiWECReportedState: true }],
    [{ wantSingletonReportedState: true }],
    [{ statusCollectors: ['c'] }],
  ])('one that a Binding asks for: %j', (asks) => {
    const shown = shownWorkloads([binding('x', ['b'], asks)], 10);
    expect(shown.map(({ bound }) => bound.name)).toEqual(['web']);
  });

  test('not one of which no status is asked for', () => {
    expect(shownWorkloads([binding('x', ['b'], {})], 10)).toEqual([]);
  });

  test('with the destinations of all Bindings that ask for it', () => {
    const asks = { wantMultiWECReportedState: true };
    const shown = shownWorkloads(
      [binding('x', ['b', 'c'], asks), binding('y', ['a', 'b'], asks)],
      10,
    );
    expect(shown.map(({ destinations }) => destinations)).toEqual([['a', 'b', 'c']]);
  });

  test('shows the first objects only, each with the Bindings that name it', () => {
    const asks = { wantMultiWECReportedState: true };
    const [first, second] = [binding('x', ['b'], asks), binding('y', ['a'], asks)];
    expect(shownWorkloads([first, second], 1)).toMatchObject([{ bindings: [first, second] }]);
    expect(shownWorkloads([first, second], 0)).toEqual([]);
  });
});

const APPS = { group: 'apps', resource: 'deployments' };
const [SHOWN] = shownWorkloads([binding('x', ['a', 'b'], { wantMultiWECReportedState: true })], 10);

function board(content: Parameters<typeof clusters>[0]) {
  if (SHOWN === undefined) throw new Error('the Binding asks for a workload object');
  return boardOf(clusters(content), SHOWN);
}

function deployment(more: JsonObject): JsonObject {
  const metadata = { namespace: 'shop', name: 'web', uid: 'u', generation: 2 };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 3 }, ...more };
}

test('shows counts, an absent one as 0, and a WEC without the object as such', () => {
  const status = { readyReplicas: 2, updatedReplicas: 1, observedGeneration: 1 };
  const { name, rows } = board([
    ['a', APPS, deployment({ status })],
    ['hub', APPS, deployment({})],
  ]);
  expect(name).toBe('deployments.apps shop/web');
  expect(rows).toMatchObject([
    { cluster: 'a', present: true, ready: '2/3', updated: '1', available: '0', seen: '1/2' },
    { cluster: 'b', present: false, ready: '-', seen: '-', health: null },
    { cluster: 'hub', isWds: true, ready: '0/3', seen: '-/2', health: { status: 'Progressing' } },
  ]);
});

test('shows the observed generation of a kind that has it as a text', () => {
  const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
  const { rows } = board([
    ['a', APPS, deployment({ ...rollout, status: { observedGeneration: '1' } })],
    ['b', APPS, deployment({ ...rollout, status: { observedGeneration: '58b949649c' } })],
  ]);
  expect(rows).toMatchObject([{ seen: '1/2' }, { seen: '-/2' }, {}]);
});

test('distinguishes a WEC that is not read here from one without the object', () => {
  const [shown] = shownWorkloads(
    [binding('x', ['b', 'c'], { wantMultiWECReportedState: true })],
    10,
  );
  expect(shown && boardOf(clusters([]), shown).rows).toMatchObject([
    { cluster: 'b', sight: { state: 'seen' }, present: false },
    { cluster: 'c', sight: { state: 'elsewhere' }, present: false },
    { cluster: 'hub', sight: { state: 'seen' } },
  ]);
});

test('reads the counters of a DaemonSet, and none of a kind without', () => {
  const status = {
    desiredNumberScheduled: 4,
    numberReady: 3,
    numberAvailable: 2,
    updatedNumberScheduled: 1,
  };
  const { rows } = board([
    ['a', APPS, deployment({ kind: 'DaemonSet', spec: {}, status })],
    ['b', APPS, deployment({ apiVersion: 'v1', kind: 'ConfigMap', spec: {} })],
  ]);
  expect(rows).toMatchObject([
    { ready: '3/4', updated: '1', available: '2' },
    { ready: '-', updated: '-', available: '-', health: null },
    {},
  ]);
});

test("shows the results of the object's own CombinedStatuses, each cell as text", () => {
  const columns = [
    { type: 'Number', float: '3' },
    { type: 'String', string: 'x' },
    { type: 'Null' },
    { type: 'Bool', bool: true },
    { type: 'Array', array: [1] },
  ];
  const result = { name: 'c', columnNames: ['v', 'w', 'x', 'y', 'z'], rows: [{ columns }] };
  const errors = { rowErrors: [{}], aggregationErrors: [{}, {}] };
  const combined = (name: string, results: JsonObject): JsonObject => ({
    metadata: { namespace: 'shop', name },
    results: [results],
  });
  const { tables } = board([
    ['hub', APPS, deployment({})],
    ['hub', CONTROL.combinedStatuses, combined('u.binding', { ...result, ...errors })],
    ['hub', CONTROL.combinedStatuses, combined('other.binding', result)],
  ]);
  expect(tables).toEqual([
    {
      collector: 'c',
      columns: ['v', 'w', 'x', 'y', 'z'],
      rows: [['3', 'x', 'null', 'true', '[1]']],
      errors: 3,
    },
  ]);
});

test('no text from a cluster controls the terminal', () => {
  const hostile = 'a\u001B[2J\nb';
  const conditions = [
    { type: 'Progressing', reason: 'ProgressDeadlineExceeded', message: hostile },
  ];
  const status = { observedGeneration: 2, conditions };
  const combined = {
    metadata: { namespace: 'shop', name: 'u.b' },
    results: [
      {
        name: hostile,
        columnNames: [hostile],
        rows: [
          {
            columns: [
              { type: 'String', string: hostile },
              { type: 'Object', object: { a: '\u009b' } },
            ],
          },
        ],
      },
    ],
  };
  const shown = board([
    ['hub', APPS, deployment({ status })],
    ['hub', CONTROL.combinedStatuses, combined],
  ]);
  expect(shown.tables[0]?.rows).toEqual([['a [2J b', '{"a":" "}']]);
  expect(JSON.stringify(shown)).not.toMatch(/\\u001b|\\n/);
});
