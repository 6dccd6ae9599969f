import { describe, expect, it } from 'vitest';
import {
  CELLS,
  type CellsResult,
  type ClusterCell,
  deploymentCell,
  MAX_CLUSTERS_LISTED,
} from '#shared/core/fleet/cells-fold.ts';
import { NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import { foldRows } from '#shared/core/fold/fold.ts';

const COUNTS = { ...NO_RESOURCES, ready: 1, notReady: 1, desiredReady: 2 };

function cell(cluster: string, deployments = 1, ready = deployments): ClusterCell {
  return { cluster, deployments, ready, counts: COUNTS };
}

function finished(cells: readonly ClusterCell[]): CellsResult {
  return CELLS.finish(foldRows(CELLS, cells));
}

describe('the clusters of a GitRepo or HelmOp', () => {
  it.each<readonly [source: string, cells: readonly ClusterCell[], ready: string]>([
    ['Fleet, Status Fields, "Ready": none', [], '0/0'],
    ['Fleet, Status Fields, "Ready": each deployment Ready', [cell('d/a', 2), cell('d/b')], '2/2'],
    ['docs/fleet.md: one deployment of two Ready', [cell('d/a', 2, 1), cell('d/b')], '1/2'],
    ['docs/fleet.md: no deployment Ready', [cell('d/a', 1, 0)], '0/1'],
    ["Fleet's code: no cluster labels, which is no cluster", [cell('/'), cell('d/a')], '1/1'],
  ])('%s', (_source, cells, ready) => {
    const { readyClusters, desiredReadyClusters, left } = finished(cells);
    expect(`${readyClusters}/${desiredReadyClusters}`).toBe(ready);
    expect(left).toBe(0);
  });

  it('has the resources of each cluster, and under / those of deployments without one', () => {
    const { perClusterResourceCounts } = finished([cell('d/b'), cell('/'), cell('d/a')]);
    expect(perClusterResourceCounts).toEqual({ '/': COUNTS, 'd/a': COUNTS, 'd/b': COUNTS });
  });

  it('lists the first 1000 clusters whatever their order, and counts them all', () => {
    const cells = Array.from({ length: MAX_CLUSTERS_LISTED + 3 }, (_, index) =>
      cell(`d/c${String(index).padStart(4, '0')}`, 1, index % 2),
    );
    const result = finished(cells);
    expect(result).toMatchObject({ readyClusters: 501, desiredReadyClusters: 1003, left: 3 });
    const names = Object.keys(result.perClusterResourceCounts);
    expect([names.length, names[0], names.at(-1)]).toEqual([1000, 'd/c0000', 'd/c0999']);
    expect(finished(cells.toReversed())).toEqual(result);
  });
});

describe('the cell of a deployment', () => {
  it.each([
    ['Ready', 1],
    ['NotReady', 0],
    ['Pending', 0],
  ] as const)('counts it as one if it is %s, and as ready %i times', (state, ready) => {
    const cell = deploymentCell({ cluster: 'd/a', state, counts: COUNTS });
    expect(cell).toEqual({ cluster: 'd/a', deployments: 1, ready, counts: COUNTS });
  });

  it('is named / if it is in no cluster', () => {
    expect(deploymentCell({ cluster: '', state: 'Ready', counts: COUNTS }).cluster).toBe('/');
  });
});
