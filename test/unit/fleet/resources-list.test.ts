import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { RESOURCES_BYTES, resourcesList } from '#shared/core/fleet/resources-list.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { resource } from './fixtures/parts.ts';
import { shuffled } from './fixtures/shuffled.ts';
import { ROLLING_OUT, rowIn } from './fixtures/states.ts';

function listOf(rows: readonly DeploymentRow[], bytes?: number) {
  return resourcesList(foldRows(BUNDLE, rows).resources, bytes);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const CLUSTER_ROLE: JsonObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  name: 'reader',
};

/** Rows like one, in so many clusters. */
function inClusters(row: DeploymentRow, clusters: number): readonly DeploymentRow[] {
  return Array.from({ length: clusters }, (_, index) => ({
    ...row,
    namespace: `cluster-${index}`,
    cluster: `fleet-default/downstream-${10_000 + index}`,
  }));
}

/** A row with so many ConfigMaps; of these some are not ready. */
function withResources(count: number, nonReady: readonly number[] = [], seed = 1): DeploymentRow {
  const nameOf = (index: number): string => `settings-${10_000 + index}`;
  const resources = Array.from({ length: count }, (_, index) => resource(nameOf(index)));
  const about = { ...ROLLING_OUT, apiVersion: 'v1', kind: 'ConfigMap' };
  const nonReadyStatus = nonReady.map((index) => ({ ...about, name: nameOf(index) }));
  return rowIn('NotReady', { status: { resources: shuffled(resources, seed), nonReadyStatus } });
}

describe('the list of resources (Fleet, Status Fields, Resources List)', () => {
  it("has every resource with its clusters, members as in Fleet's code", () => {
    const resources = [resource('web', 'Deployment', 'apps/v1'), CLUSTER_ROLE];
    const summary = { state: 'updating', error: true, transitioning: true, message: ['1/2'] };
    const nonReadyStatus = [{ ...ROLLING_OUT, summary }];
    const rows = [
      rowIn('Ready', { cluster: 'c1', status: { resources } }),
      rowIn('NotReady', { cluster: 'c2', status: { resources, nonReadyStatus } }),
    ];
    expect(listOf(rows)).toEqual({
      resources: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          type: 'apps.deployment',
          id: 'shop/web',
          namespace: 'shop',
          name: 'web',
          state: 'updating',
          error: true,
          transitioning: true,
          message: '1/2',
          perClusterState: { ready: ['fleet-default/c1'], notReady: ['fleet-default/c2'] },
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          type: 'rbac.authorization.k8s.io.clusterrole',
          id: 'reader',
          name: 'reader',
          state: 'Ready',
          perClusterState: { ready: ['fleet-default/c1', 'fleet-default/c2'] },
        },
      ],
      left: 0,
      cut: 0,
    });
  });

  it('is the same when it is made again of the same part', () => {
    const { resources } = foldRows(BUNDLE, inClusters(withResources(3, [1]), 5));
    expect(resourcesList(resources, 500)).toEqual(resourcesList(resources, 500));
    expect(resourcesList(resources)).toEqual(resourcesList(structuredClone(resources)));
  });

  it('says of what the agent left out that it is incomplete', () => {
    const status = { resources: [CLUSTER_ROLE], incompleteState: true };
    const { resources, cut } = listOf([rowIn('Ready', { status })]);
    expect(resources[0]?.['incompleteState']).toBe(true);
    expect(cut).toBe(0);
  });

  it('is whole if several deployments in one cluster, or in none, have the resource', () => {
    const status = { resources: [CLUSTER_ROLE] };
    const rows = [
      ...['a', 'b'].map((name) => rowIn('Ready', { name, status })),
      ...['a', 'b'].map((namespace) => rowIn('Ready', { cluster: '', namespace, status })),
    ];
    const list = listOf(rows);
    expect(list.cut).toBe(0);
    expect(list.resources[0]?.['incompleteState']).toBeUndefined();
    expect(list.resources[0]?.['perClusterState']).toEqual({ ready: ['/', 'fleet-default/c1'] });
  });
});

/** How many clusters each list of each resource names. */
function lengths(resources: readonly JsonObject[]): readonly number[] {
  return resources.flatMap(({ perClusterState }) =>
    Object.values(perClusterState as Record<string, readonly string[]>).map((list) => list.length),
  );
}

describe('a list of resources that is too large', () => {
  it('names 500 of 4,000 clusters, and reports it', () => {
    const rows = inClusters(rowIn('Ready'), 4000);
    const { resources, left, cut } = listOf(rows);
    expect([left, cut]).toEqual([0, 2]);
    expect(lengths(resources)).toEqual([500, 500]);
    expect(resources.map(({ incompleteState }) => incompleteState)).toEqual([true, true]);
    expect(listOf(inClusters(rowIn('Ready'), 500)).cut).toBe(0);
  });

  it('has lists of clusters that are cut alike, as long as they can be', () => {
    const rows = inClusters(withResources(100, [3, 4]), 700);
    const { resources, left, cut } = listOf(rows);
    const [length = 0] = lengths(resources);
    expect([left, cut]).toEqual([0, 100]);
    expect(length).toBeGreaterThan(100);
    expect(new Set(lengths(resources))).toEqual(new Set([length]));
    const size = bytesOf(resources);
    expect(size).toBeLessThanOrEqual(RESOURCES_BYTES);
    const anotherCluster = 100 * '"fleet-default/downstream-10000",'.length;
    expect(size + anotherCluster + 2 * 100).toBeGreaterThan(RESOURCES_BYTES);
  });

  it('keeps short lists whole', () => {
    const few = rowIn('Ready', { name: 'few', status: { resources: [CLUSTER_ROLE] } });
    const { resources, cut } = listOf([...inClusters(withResources(100), 700), few]);
    expect(cut).toBe(100);
    expect(resources.at(-1)).toMatchObject({
      kind: 'ClusterRole',
      perClusterState: { ready: ['fleet-default/c1'] },
    });
    expect(resources.at(-1)?.['incompleteState']).toBeUndefined();
  });

  it('leaves out resources that are Ready before those that are not', () => {
    const { resources, left, cut } = listOf([withResources(5000, [4998, 4999])]);
    expect(left).toBeGreaterThan(0);
    expect(resources.length + left).toBe(5000);
    expect(cut).toBe(resources.length);
    expect(bytesOf(resources)).toBeLessThanOrEqual(RESOURCES_BYTES);
    const names = resources.map(({ name }) => name);
    expect(names.slice(-2)).toEqual(['settings-14998', 'settings-14999']);
    expect(names.slice(0, -2)).toEqual(
      Array.from({ length: names.length - 2 }, (_, index) => `settings-${10_000 + index}`),
    );
  });

  it('leaves out the last of those that are not Ready if there is no room for them all', () => {
    const all = Array.from({ length: 50 }, (_, index) => index);
    const { resources, left } = listOf([withResources(60, all)], 2000);
    expect(left).toBe(60 - resources.length);
    expect(resources.map(({ name }) => name)).toEqual(
      resources.map((_, index) => `settings-${10_000 + index}`),
    );
    expect(bytesOf(resources)).toBeLessThanOrEqual(2000);
  });

  it('is empty if there is nothing, or room for nothing', () => {
    expect(listOf([])).toEqual({ resources: [], left: 0, cut: 0 });
    expect(listOf([withResources(3)], 10)).toEqual({ resources: [], left: 3, cut: 0 });
  });

  it('fits any number of bytes, with lists of every kind', () => {
    const states = ['Ready', 'WaitApplied', 'Modified', 'Unknown', 'error', 'Missing', 'Orphaned'];
    const rows = states.flatMap((state, index) => {
      const nonReadyStatus = [{ ...ROLLING_OUT, summary: { state, message: ['größer 😀'] } }];
      return ['a', 'b', 'c'].map((name) =>
        rowIn('NotReady', { cluster: `${name}${index}`, status: { nonReadyStatus } }),
      );
    });
    for (let bytes = 2; bytes < 4000; bytes += 1)
      expect(bytesOf(listOf(rows, bytes).resources)).toBeLessThanOrEqual(bytes);
  });

  it('is the same whatever the order of 4,000 clusters and of 5,000 resources', () => {
    const rowsBy = (seed: number): readonly DeploymentRow[] =>
      shuffled(
        [...inClusters(withResources(3, [1]), 4000), withResources(5000, [7, 4998], seed)],
        seed,
      );
    const once = JSON.stringify(listOf(rowsBy(1)));
    for (const seed of [2, 3]) expect(JSON.stringify(listOf(rowsBy(seed)))).toBe(once);
  });
});
