import { describe, expect, it } from 'vitest';
import { deploymentRow, pendingRow } from '#shared/core/fleet/deployment-row.ts';
import { NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { bundleDeployment } from './fixtures/objects.ts';
import { condition, counts, namespaceOf, uidOf } from './fixtures/parts.ts';
import { CHANGED, deploymentIn, ROLLING_OUT, rowIn } from './fixtures/states.ts';

describe('the row of a BundleDeployment', () => {
  it('says what it is, what it belongs to and how it is', () => {
    const namespace = namespaceOf('c1');
    expect(deploymentRow(deploymentIn('NotReady', { helmOp: 'cache' }))).toMatchObject({
      name: 'shop',
      namespace,
      uid: uidOf(`BundleDeployment/${namespace}/shop`),
      cluster: 'fleet-default/c1',
      bundle: 'fleet-default/shop',
      repo: 'fleet-default/shop',
      helmOp: 'fleet-default/cache',
      state: 'NotReady',
      message: '',
      modified: [],
      nonReady: [ROLLING_OUT],
      unavailable: true,
      counts: counts({ ready: 1, notReady: 1 }),
      incomplete: false,
    });
  });

  it("looks for its Bundle and GitRepo in the Bundle's namespace, not in the Cluster's", () => {
    const given = { bundleNamespace: 'fleet-shops', clusterNamespace: 'fleet-east' };
    expect(deploymentRow(bundleDeployment(given))).toMatchObject({
      cluster: 'fleet-east/c1',
      bundle: 'fleet-shops/shop',
      repo: 'fleet-shops/shop',
      helmOp: '',
    });
  });

  it.each<readonly [what: string, given: { cluster?: string; clusterNamespace?: string }]>([
    ['name', { cluster: '' }],
    ['namespace', { clusterNamespace: '' }],
  ])('belongs to no cluster without the label of its %s', (_what, given) => {
    expect(deploymentRow(bundleDeployment(given)).cluster).toBe('');
  });

  it('is of the namesake of its Bundle, unless a label says otherwise', () => {
    expect(deploymentRow(bundleDeployment({ bundle: '' })).bundle).toBe('fleet-default/shop');
    const other = bundleDeployment({ name: 'shop-1a2b', bundle: 'shop' });
    expect(deploymentRow(other)).toMatchObject({ name: 'shop-1a2b', bundle: 'fleet-default/shop' });
  });

  it.each([
    ['Ready', false],
    ['NotReady', true],
    ['OutOfSync', false],
    ['Modified', false],
    ['WaitApplied', true],
    ['ErrApplied', true],
  ] as const)("%s: unavailable is %s (Fleet's code)", (state, unavailable) => {
    expect(rowIn(state)).toMatchObject({ state, unavailable });
  });

  it('waits with all of its resources (Fleet, Status Fields, Resource Counts)', () => {
    expect(rowIn('WaitApplied').counts).toEqual({
      ...NO_RESOURCES,
      desiredReady: 2,
      waitApplied: 2,
    });
    expect(rowIn('ErrApplied').counts).toEqual(counts());
  });

  it('says that the agent left something out', () => {
    expect(rowIn('NotReady', { status: { incompleteState: true } }).incomplete).toBe(true);
  });
});

describe('the size of a row', () => {
  const LONG = 'x'.repeat(10_000);
  const CUT = `${'x'.repeat(509)}...`;

  it('has no more than 512 characters of a message', () => {
    const conditions = [condition('Deployed', 'False', { message: LONG })];
    expect(rowIn('ErrApplied', { status: { conditions } }).message).toBe(CUT);
  });

  it('has no more than 512 characters of a patch of 10 KB', () => {
    const modifiedStatus = [{ ...CHANGED, patch: LONG }, CHANGED];
    const { modified } = rowIn('Modified', { status: { modifiedStatus } });
    expect(modified).toEqual([{ ...CHANGED, patch: CUT }, CHANGED]);
  });

  it('has no more than 512 characters of what is said of a resource', () => {
    const summary = { state: 'error', error: true };
    const nonReadyStatus = [
      { ...ROLLING_OUT, summary: { ...summary, message: ['no', LONG] } },
      { ...ROLLING_OUT, summary: { ...summary, message: ['no', 'yes'] } },
    ];
    const { nonReady, resources } = rowIn('NotReady', { status: { nonReadyStatus } });
    expect(nonReady.map((entry) => entry['summary'])).toEqual([
      { ...summary, message: [`no, ${'x'.repeat(505)}...`] },
      { ...summary, message: ['no', 'yes'] },
    ]);
    expect(resources.map(([, { message }]) => message)).toContain('no, yes');
  });

  it('lists ten resources of each kind, and knows the others', () => {
    const entries = Array.from({ length: 12 }, (_, index) => `web-${10 + index}`);
    const modifiedStatus = entries.map((name) => ({ ...CHANGED, name }));
    const nonReadyStatus = entries.map((name) => ({ ...ROLLING_OUT, name }));
    const row = rowIn('NotReady', { status: { modifiedStatus, nonReadyStatus, resources: [] } });
    const first = entries.slice(0, 10);
    expect(row.modified.map(({ name }) => name)).toEqual(first);
    expect(row.nonReady.map(({ name }) => name)).toEqual(first);
    expect(row.resources).toHaveLength(24);
  });
});

describe('a row of something else', () => {
  it.each<readonly [what: string, deployment: JsonObject]>([
    ['an empty object', {}],
    ['texts in place of objects', { metadata: 'x', spec: 'x', status: 'x' }],
    ['lists in place of objects', { metadata: [], spec: [], status: [] }],
    ['null everywhere', { metadata: null, spec: null, status: null }],
    [
      'numbers in place of texts and lists',
      {
        metadata: { name: 1, namespace: 2, uid: 3, labels: 4 },
        status: { modifiedStatus: 5, nonReadyStatus: 6, resources: 7, resourceCounts: 8 },
      },
    ],
    [
      'lists of something else',
      { status: { modifiedStatus: [1, null], nonReadyStatus: ['x'], resources: [[]] } },
    ],
  ])('counts as a deployment of which nothing is known: %s', (_what, deployment) => {
    expect(deploymentRow(deployment)).toEqual({
      name: '',
      namespace: '',
      uid: '',
      cluster: '',
      bundle: '/',
      repo: '',
      helmOp: '',
      state: 'NotReady',
      message: '',
      modified: [],
      nonReady: [],
      unavailable: true,
      counts: NO_RESOURCES,
      resources: [],
      incomplete: false,
    });
  });

  it.each<readonly [summary: JsonValue, kept: JsonObject]>([
    [null, {}],
    ['x', {}],
    [[], {}],
    [{ message: 'x' }, { summary: {} }],
    [{ message: [1, null], error: 'yes', other: 1 }, { summary: {} }],
    [
      { state: 'failed', error: true, message: ['a', 2] },
      { summary: { state: 'failed', error: true, message: ['a'] } },
    ],
  ])('keeps of a summary %j what Fleet has in one', (summary, kept) => {
    const entry = { kind: 'Deployment', name: 'web', summary, patch: 7, missing: 'no', other: {} };
    const { nonReady } = rowIn('NotReady', { status: { nonReadyStatus: [entry] } });
    expect(nonReady).toEqual([{ kind: 'Deployment', name: 'web', ...kept }]);
  });

  it.each([null, 'x', { message: [1, null] }])('has no message if a summary is %j', (summary) => {
    const entry = { kind: 'Deployment', name: 'web', summary };
    const { resources } = rowIn('NotReady', { status: { nonReadyStatus: [entry] } });
    expect(resources.find(([key]) => key.startsWith('deployment/'))?.[1].message).toBe('');
  });

  it('has no more than 512 characters of any text of an entry', () => {
    const entry = { kind: 'x'.repeat(600), name: 'web', summary: { state: 'y'.repeat(10_000) } };
    const { nonReady, resources } = rowIn('NotReady', { status: { nonReadyStatus: [entry] } });
    expect(JSON.stringify(nonReady).length).toBeLessThan(1200);
    const states = resources.map(([, { state }]) => state.length);
    expect(Math.max(...states)).toBe(512);
  });
});

describe('the row of a target without a BundleDeployment (Fleet, Status Fields, Pending)', () => {
  it('is Pending in its cluster, and has no resources yet', () => {
    const parents = { bundle: 'fleet-default/shop', repo: 'fleet-default/repo', helmOp: '' };
    expect(pendingRow(parents, 'fleet-default/c1')).toEqual({
      ...parents,
      name: 'shop',
      namespace: '',
      uid: '',
      cluster: 'fleet-default/c1',
      state: 'Pending',
      message: '',
      modified: [],
      nonReady: [],
      unavailable: false,
      counts: NO_RESOURCES,
      resources: [],
      incomplete: false,
    });
  });
});
