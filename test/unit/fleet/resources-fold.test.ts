import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import {
  CLUSTER_LISTS,
  clustersNamed,
  liftResources,
  MAX_CLUSTERS_NAMED,
  mergeResources,
  NO_ENTRIES,
  type ResourcesPart,
} from '#shared/core/fleet/resources-fold.ts';
import { resourcesList } from '#shared/core/fleet/resources-list.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { resource } from './fixtures/parts.ts';
import { shuffled } from './fixtures/shuffled.ts';
import { CHANGED, ROLLING_OUT, rowIn } from './fixtures/states.ts';

const ONE = { resources: [resource('web', 'Deployment', 'apps/v1')] };

/** The row of a cluster in which web is in a state of the agent's. */
function rowWith(state: string, cluster = 'c1', message: readonly string[] = []): DeploymentRow {
  const nonReadyStatus = [{ ...ROLLING_OUT, summary: { state, message } }];
  return rowIn('NotReady', { cluster, status: { ...ONE, nonReadyStatus } });
}

function partOf(rows: readonly DeploymentRow[]): ResourcesPart {
  return foldRows(BUNDLE, rows).resources;
}

/** The clusters of the only resource of some rows, by list. */
function listsOf(rows: readonly DeploymentRow[]): Record<string, readonly string[]> {
  const lists = partOf(rows)[0]?.lists ?? [];
  return Object.fromEntries(lists.map(([index, names]) => [CLUSTER_LISTS[index], names]));
}

describe('the list that a cluster stands in (Fleet, Status Fields, Resources List)', () => {
  it.each([
    ['Ready', 'ready'],
    ['WaitApplied', 'waitApplied'],
    ['Pending', 'pending'],
    ['Modified', 'modified'],
    ['Orphaned', 'orphaned'],
    ['Missing', 'missing'],
    ['Unknown', 'unknown'],
    ['NotReady', 'notReady'],
    ['updating', 'notReady'],
    ['error', 'notReady'],
  ])("is for %s the list %s (Fleet's code)", (state, list) => {
    expect(listsOf([rowWith(state)])).toEqual({ [list]: ['fleet-default/c1'] });
  });

  it.each([
    ['OutOfSync', 'ready'],
    ['ErrApplied', 'notReady'],
    ['in-progress', 'notReady'],
    ['unavailable', 'notReady'],
    ['pending', 'notReady'],
    ['removing', 'notReady'],
    ['ready', 'notReady'],
    ['constructor', 'notReady'],
  ])('is for %s the list %s, for which Fleet has none', (state, list) => {
    expect(listsOf([rowWith(state)])).toEqual({ [list]: ['fleet-default/c1'] });
  });

  it('has the clusters sorted, and each cluster of a resource once', () => {
    const rows = ['c3', 'c1', 'c2'].map((cluster) => rowIn('Ready', { cluster, status: ONE }));
    const twice = rowIn('Ready', { name: 'shop-base', cluster: 'c2', status: ONE });
    expect(listsOf([...rows, twice])).toEqual({
      ready: ['fleet-default/c1', 'fleet-default/c2', 'fleet-default/c3'],
    });
  });

  it('names deployments without cluster labels as no cluster, which is one', () => {
    const rows = ['a', 'b', 'c'].map((namespace) =>
      rowIn('Ready', { cluster: '', namespace, status: ONE }),
    );
    expect(listsOf(rows)).toEqual({ ready: ['/'] });
  });

  it('keeps one cluster more than are named', () => {
    const row = rowIn('Ready', { status: ONE });
    const rows = Array.from({ length: 4000 }, (_, index) => ({
      ...row,
      namespace: `cluster-${index}`,
      cluster: `fleet-default/c${10_000 + index}`,
    }));
    const names = listsOf(rows)['ready'] ?? [];
    expect(names).toHaveLength(MAX_CLUSTERS_NAMED + 1);
    expect([names[0], names.at(-1)]).toEqual(['fleet-default/c10000', 'fleet-default/c10500']);
    const bytes = stringifyJson(partOf(rows));
    for (const seed of [1, 2, 3]) expect(stringifyJson(partOf(shuffled(rows, seed)))).toBe(bytes);
  });
});

describe('the clusters of many resources', () => {
  const STATUS = {
    resources: Array.from({ length: 5000 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'shop',
      name: `m${10_000 + index}`,
    })),
  };
  const row = rowIn('Ready', { status: STATUS });
  /** Half of the clusters have half of the resources. */
  const rows = Array.from({ length: 24 }, (_, index) => ({
    ...row,
    namespace: `cluster-${index}`,
    cluster: `fleet-default/c${100 + index}`,
    resources: index % 2 === 0 ? row.resources : row.resources.slice(0, 2500),
  }));

  it.each([
    [0, 500],
    [81, 500],
    [82, 499],
    [1000, 40],
    [100_000, 10],
  ])('of %i are named up to %i', (resources, clusters) => {
    expect(clustersNamed(resources)).toBe(clusters);
  });

  it('are one more than are named, in any order and grouping', () => {
    const part = partOf(rows);
    const kept = part.map(({ lists }) => lists[0]?.[1].length);
    expect(new Set(kept)).toEqual(new Set([clustersNamed(5000) + 1]));
    const bytes = stringifyJson(part);
    for (const seed of [1, 2, 3]) expect(stringifyJson(partOf(shuffled(rows, seed)))).toBe(bytes);
    const halves = [
      rows.filter((_, index) => index % 2 === 1),
      rows.filter((_, index) => index % 2 === 0),
    ];
    const [few = [], all = []] = halves.map(partOf);
    expect(stringifyJson(mergeResources(few, all))).toBe(bytes);
  });

  /** So many resources, each in 400 clusters. */
  function resourcesOf(first: string, count: number): ResourcesPart {
    const clusters = Array.from({ length: 400 }, (_, index) => `fleet-default/c${1000 + index}`);
    const lists = [[0, clusters]] as const;
    const [one] = partOf([rowIn('Ready', { status: ONE })]);
    return Array.from({ length: count }, (_, index) => ({
      ...(one as ResourcesPart[number]),
      key: `${first}${1000 + index}`,
      lists,
    }));
  }

  it('are cut once for the same number of resources, and again for another', () => {
    const [some, others] = [resourcesOf('a', 60), resourcesOf('b', 60)];
    const merged = mergeResources(some, others);
    expect(merged[0]?.lists[0]?.[1]).toHaveLength(clustersNamed(120) + 1);
    expect(mergeResources(some, others)[0]).toBe(merged[0]);
    const more = mergeResources(some, resourcesOf('c', 100));
    expect(more[0]?.lists[0]?.[1]).toHaveLength(clustersNamed(160) + 1);
    expect(stringifyJson(mergeResources(some, others))).toBe(stringifyJson(merged));
  });

  it('are said to be cut', () => {
    const { cut, resources } = resourcesList(partOf(rows));
    expect(cut).toBe(resources.length);
    expect(resources[0]).toMatchObject({ incompleteState: true });
  });
});

describe('what a resource shows of itself', () => {
  it('is Ready if it is in every cluster', () => {
    const rows = ['c1', 'c2'].map((cluster) => rowIn('Ready', { cluster, status: ONE }));
    expect(partOf(rows)).toMatchObject([{ first: null, incomplete: false }]);
  });

  it('is that of the first cluster in which it is not Ready, not the worst', () => {
    const rows = [
      rowIn('Ready', { cluster: 'c1', status: ONE }),
      rowWith('error', 'c3', ['boom']),
      rowWith('updating', 'c2', ['Available: 1/2', 'slow']),
    ];
    expect(partOf(rows)[0]?.first).toEqual({
      cluster: 'fleet-default/c2',
      state: 'updating',
      error: false,
      transitioning: false,
      message: 'Available: 1/2, slow',
    });
  });

  it('is in one cluster decided by what is said, not by the order of deployments', () => {
    const summaries = [
      { state: 'error', error: true, transitioning: true, message: ['b'] },
      { state: 'error', error: true, message: ['b'] },
      { state: 'error', message: ['b'] },
      { state: 'error', message: ['a'] },
      { state: 'c\na', message: ['b'] },
      { state: 'c', message: ['a\nb'] },
    ];
    const rows = summaries.map((summary, index) => {
      const nonReadyStatus = [{ ...ROLLING_OUT, summary }];
      return rowIn('NotReady', { name: `shop-${index}`, status: { ...ONE, nonReadyStatus } });
    });
    for (const [index, row] of rows.entries())
      for (const other of rows.slice(index)) {
        const later = stringifyJson(partOf([row, other]));
        expect(stringifyJson(partOf([other, row]))).toBe(later);
      }
    const chosen = [0, 1, 2, 3, 4].map((index) => partOf(rows.slice(index, index + 2))[0]?.first);
    expect(chosen.map((first) => first?.transitioning)).toEqual(Array(5).fill(false));
    expect(chosen.map((first) => first?.error)).toEqual([true, false, false, false, false]);
    expect(chosen.map((first) => first?.message)).toEqual(['b', 'b', 'a', 'b', 'a\nb']);
  });

  it('is incomplete if that of any deployment is', () => {
    const incomplete = rowIn('Ready', { cluster: 'c2', status: { ...ONE, incompleteState: true } });
    for (const rows of [
      [incomplete, rowIn('Ready', { status: ONE })],
      [rowIn('Ready', { status: ONE }), incomplete],
    ])
      expect(partOf(rows)).toMatchObject([{ incomplete: true }]);
  });
});

describe('the resources of several deployments', () => {
  it('are all of them, sorted by key', () => {
    const rows = [
      rowIn('Ready', { cluster: 'c1', status: { resources: [resource('z'), resource('m')] } }),
      rowIn('Ready', { cluster: 'c2', status: { resources: [resource('m'), resource('a')] } }),
    ];
    const names = partOf(rows).map(({ ref, lists }) => [ref.name, lists[0]?.[1].length]);
    expect(names).toEqual([
      ['a', 1],
      ['m', 2],
      ['z', 1],
    ]);
  });

  it('are those of one if the other has none', () => {
    const part = liftResources(rowIn('Modified', { status: { modifiedStatus: [CHANGED] } }));
    expect(mergeResources(part, NO_ENTRIES)).toEqual(part);
    expect(mergeResources(NO_ENTRIES, part)).toEqual(part);
    expect(liftResources(rowIn('Pending'))).toEqual(NO_ENTRIES);
  });
});
