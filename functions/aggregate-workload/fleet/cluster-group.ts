import { CLUSTER_GROUP } from '#shared/core/fleet/cluster-group-fold.ts';
import { groupSelector } from '#shared/core/fleet/cluster-group-members.ts';
import { mergingFold } from '#shared/core/fold/fold.ts';
import { GROUP_ROW } from '#shared/state/fleet/contents.ts';
import { readRow } from '#shared/state/fleet/fleet-rows.ts';
import { inventoryEntry } from '#shared/state/fleet/inventory.ts';
import type { AggregateDeps } from '../deps.ts';
import { type FleetAggregate, type FleetFinding, readFleetObject } from './finding.ts';
import { foldFamily } from './fold-family.ts';

/** The Clusters put their own parts. */
const MEMBERS = mergingFold(CLUSTER_GROUP);

/**
 * Folds the Clusters of a ClusterGroup.
 *
 * @returns `undefined` when others have stored a part meanwhile: start again.
 */
export async function aggregateClusterGroup(
  deps: AggregateDeps,
  { subject, pk, head, changed }: FleetAggregate,
): Promise<FleetFinding | undefined> {
  const observed = await readFleetObject(deps, subject);
  const { content } = observed;
  const folded = await foldFamily(deps, {
    pk,
    family: 'CLUSTER',
    head,
    changed,
    fold: MEMBERS,
    rowsOf: (stored) => stored.map((row) => readRow(GROUP_ROW, row)),
    fingerprint: () => 'members',
  });
  if (folded === undefined) return undefined;
  const selectorErrors = content === undefined ? [] : groupSelector(content).errors;
  return {
    result: { resource: 'clustergroups', part: folded.part, selectorErrors },
    families: { CLUSTER: folded.layout },
    observed,
    contributions: () => (content === undefined ? [] : [inventoryEntry(subject, content)]),
  };
}
