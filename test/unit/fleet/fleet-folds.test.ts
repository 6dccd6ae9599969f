import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { CELLS } from '#shared/core/fleet/cells-fold.ts';
import { CLUSTER, type ClusterPart } from '#shared/core/fleet/cluster-fold.ts';
import { CLUSTER_GROUP, type GroupRow } from '#shared/core/fleet/cluster-group-fold.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { FleetFolds } from '#shared/core/fleet/fleet-folds.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { NAMESPACE } from './fixtures/parts.ts';
import { rowIn } from './fixtures/states.ts';

const SHOP = 'fleet-default/shop';
const C1 = 'fleet-default/c1';
const C2 = 'fleet-default/c2';

function memberRow(part: ClusterPart): GroupRow {
  return { namespace: NAMESPACE, name: 'c1', contact: { type: 'connected' }, part };
}

/** Settles with no ClusterGroups. */
function settle(folds: FleetFolds): void {
  folds.settle(() => []);
}

function filled(...rows: readonly DeploymentRow[]): FleetFolds {
  const folds = new FleetFolds();
  for (const [index, row] of rows.entries()) folds.setRow(`${index}`, row);
  settle(folds);
  return folds;
}

describe('the folds of a fleet', () => {
  const ready = rowIn('Ready');
  const inC2 = rowIn('NotReady', { cluster: 'c2' });

  it('are those of no rows where there are none', () => {
    const folds = filled();
    expect(folds.bundlePart(SHOP)).toEqual(BUNDLE.empty);
    expect(folds.clusterPart(C1)).toEqual(CLUSTER.empty);
    expect(folds.sourceParts('repo', SHOP)).toEqual({ part: BUNDLE.empty, cells: CELLS.empty });
    expect(folds.groupPart('fleet-default/production')).toEqual(CLUSTER_GROUP.empty);
  });

  it('have each row in its Bundle, its Cluster and its GitRepo', () => {
    const folds = filled(ready, inC2);
    const both = foldRows(BUNDLE, [ready, inC2]);
    expect(folds.bundlePart(SHOP)).toEqual(both);
    expect(folds.sourceParts('repo', SHOP)).toMatchObject({
      part: both,
      cells: { desired: 2, ready: 1 },
    });
    expect(folds.clusterPart(C1)).toEqual(foldRows(CLUSTER, [ready]));
    expect(folds.clusterPart(C2)).toEqual(foldRows(CLUSTER, [inC2]));
  });

  it('have a row in its HelmOp, and in its GitRepo where it has both', () => {
    const folds = filled(rowIn('Ready', { helmOp: 'cache' }));
    for (const [type, id] of [
      ['repo', SHOP],
      ['helmOp', 'fleet-default/cache'],
    ] as const)
      expect(folds.sourceParts(type, id).cells).toMatchObject({ desired: 1, ready: 1 });
    expect(folds.sourceParts('helmOp', SHOP).cells).toEqual(CELLS.empty);
  });

  it.each<readonly [what: string, moved: DeploymentRow]>([
    ['Cluster', rowIn('Ready', { cluster: 'c2' })],
    ['Bundle', rowIn('Ready', { bundle: 'base' })],
    ['GitRepo', rowIn('Ready', { repo: 'base' })],
    ['HelmOp', rowIn('Ready', { repo: '', helmOp: 'cache' })],
  ])('have a row that moves to another %s only there', (_what, moved) => {
    const folds = filled(ready);
    folds.setRow('0', moved);
    settle(folds);
    const fresh = filled(moved);
    for (const id of [SHOP, 'fleet-default/base'])
      expect(folds.bundlePart(id)).toEqual(fresh.bundlePart(id));
    for (const id of [C1, C2]) expect(folds.clusterPart(id)).toEqual(fresh.clusterPart(id));
    for (const id of [SHOP, 'fleet-default/base', 'fleet-default/cache']) {
      expect(folds.sourceParts('repo', id)).toEqual(fresh.sourceParts('repo', id));
      expect(folds.sourceParts('helmOp', id)).toEqual(fresh.sourceParts('helmOp', id));
    }
  });

  it('lose a row that is removed, and one that was never there without a change', () => {
    const folds = filled(ready, inC2);
    folds.setRow('0', undefined);
    folds.setRow('9', undefined);
    settle(folds);
    expect(folds.bundlePart(SHOP)).toEqual(BUNDLE.lift(inC2));
    expect(folds.clusterPart(C1)).toEqual(CLUSTER.empty);
    expect(folds.sourceParts('repo', SHOP).cells).toMatchObject({ desired: 1, ready: 0 });
    folds.setRow('1', undefined);
    settle(folds);
    expect(folds.bundlePart(SHOP)).toEqual(BUNDLE.empty);
    expect(folds.sourceParts('repo', SHOP)).toEqual({ part: BUNDLE.empty, cells: CELLS.empty });
  });

  it('have a Bundle whose rows belong to several GitRepos as one', () => {
    const folds = filled(ready, rowIn('NotReady', { cluster: 'c2', repo: 'base' }));
    expect(folds.bundlePart(SHOP).byCluster.counts.slice(0, 2)).toEqual([1, 1]);
    expect(folds.sourceParts('repo', SHOP).part.byCluster.counts.slice(0, 2)).toEqual([1, 0]);
  });

  it('ask for the ClusterGroups of the Clusters that have changed, and of no others', () => {
    const folds = filled(ready, inC2);
    const asked: string[] = [];
    const ask = (cluster: string): [] => {
      asked.push(cluster);
      return [];
    };
    folds.settle(ask);
    expect(asked).toEqual([]);
    folds.setRow('1', rowIn('Ready', { cluster: 'c2' }));
    folds.touchCluster('fleet-default/c3');
    folds.settle(ask);
    expect(asked).toEqual([C2, 'fleet-default/c3']);
  });

  it('have a Cluster in its ClusterGroup until it leaves, or the group goes', () => {
    const folds = filled(ready);
    const group = 'fleet-default/production';
    const settleGroup = (isMember: boolean): void => {
      folds.touchCluster(C1);
      folds.settle((cluster, part) =>
        cluster === C1 ? [[group, isMember ? memberRow(part) : undefined]] : [],
      );
    };
    settleGroup(true);
    expect(folds.groupPart(group)).toEqual(CLUSTER_GROUP.lift(memberRow(CLUSTER.lift(ready))));
    settleGroup(false);
    expect(folds.groupPart(group)).toEqual(CLUSTER_GROUP.empty);
    settleGroup(true);
    folds.dropGroup(group);
    expect(folds.groupPart(group)).toEqual(CLUSTER_GROUP.empty);
  });
});
