import { describe, expect, it } from 'vitest';
import { BUNDLE, type BundlePart } from '#shared/core/fleet/bundle-fold.ts';
import type { BundleState } from '#shared/core/fleet/bundle-state.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import { firstOf, type SummaryPart } from '#shared/core/fleet/summary-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { DeploymentOverrides } from './fixtures/objects.ts';
import { counts } from './fixtures/parts.ts';
import { shuffled } from './fixtures/shuffled.ts';
import { rowIn } from './fixtures/states.ts';

function partOf(rows: readonly DeploymentRow[]): BundlePart {
  return foldRows(BUNDLE, rows);
}

function namesOf(part: SummaryPart, state: BundleState = 'NotReady'): readonly string[] {
  return firstOf(part, state).map(({ name }) => name);
}

function notReady(given: DeploymentOverrides): DeploymentRow {
  return rowIn('NotReady', given);
}

describe('the fold of the targets of a Bundle', () => {
  it('names clusters, sorted by name and then by namespace (Fleet, Status Fields, Bundles)', () => {
    const rows = [
      notReady({ cluster: 'b', clusterNamespace: 'fleet-east' }),
      notReady({ cluster: 'a-1', clusterNamespace: 'fleet-west' }),
      notReady({ cluster: 'a', clusterNamespace: 'fleet-west' }),
      notReady({ cluster: 'a', clusterNamespace: 'fleet-east' }),
    ];
    for (const seed of [1, 2, 3])
      expect(namesOf(partOf(shuffled(rows, seed)).byCluster)).toEqual([
        'fleet-east/a',
        'fleet-west/a',
        'fleet-west/a-1',
        'fleet-east/b',
      ]);
  });

  it('names a deployment that belongs to no cluster by itself, before the others', () => {
    const rows = [
      notReady({ cluster: 'a' }),
      notReady({ cluster: '', namespace: 'z' }),
      notReady({ cluster: '', namespace: 'y' }),
    ];
    expect(namesOf(partOf(rows).byCluster)).toEqual(['y/shop', 'z/shop', 'fleet-default/a']);
  });

  it("names BundleDeployments sorted by UID for what is above it (Fleet's code)", () => {
    const rows = ['c', 'a', 'b'].map((uid, index) =>
      notReady({ name: `shop-${index}`, namespace: `cluster-${index}`, metadata: { uid } }),
    );
    expect(namesOf(partOf(rows).byUid)).toEqual(['shop-1', 'shop-2', 'shop-0']);
  });

  it('lists targets that have no UID yet each for itself', () => {
    const rows = ['b', 'a'].map((cluster) => rowIn('Pending', { cluster }));
    expect(namesOf(partOf(rows).byUid, 'Pending')).toEqual(['shop', 'shop']);
    expect(namesOf(partOf(rows).byCluster, 'Pending')).toEqual([
      'fleet-default/a',
      'fleet-default/b',
    ]);
  });

  it("counts deployments that are unavailable, and not the targets without one (Fleet's code)", () => {
    const states = ['Ready', 'NotReady', 'OutOfSync', 'Modified', 'WaitApplied', 'ErrApplied'];
    const rows = [...states, 'Pending'].map((state, index) =>
      rowIn(state as BundleState, { cluster: `c${index}` }),
    );
    expect(partOf(rows).unavailable).toBe(3);
  });

  it('adds up resources (Fleet, Status Fields, Resource Counts)', () => {
    const rows = [
      rowIn('Ready', { cluster: 'a' }),
      rowIn('NotReady', { cluster: 'b' }),
      rowIn('WaitApplied', { cluster: 'c' }),
      rowIn('Pending', { cluster: 'd' }),
    ];
    expect(partOf(rows).counts).toEqual(
      counts({ ready: 3, desiredReady: 6, notReady: 1, waitApplied: 2 }),
    );
  });

  it('has nothing if there are no targets', () => {
    const part = BUNDLE.finish(partOf([]));
    expect(part).toMatchObject({ unavailable: 0, counts: NO_RESOURCES, resources: [] });
    expect(namesOf(part.byCluster)).toEqual([]);
  });
});
