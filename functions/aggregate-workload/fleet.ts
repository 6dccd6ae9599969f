import { CLUSTER_GROUP } from '#shared/core/fleet/cluster-group-fold.ts';
import { groupSelector } from '#shared/core/fleet/cluster-group-members.ts';
import type { AggregatedResource } from '#shared/core/fleet-object.ts';
import { mergingFold } from '#shared/core/fold/fold.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { contribute } from '#shared/outbox/contributions.ts';
import { placeTargets } from '#shared/outbox/target-placement.ts';
import { FLEET_RESULT, GROUP_ROW } from '#shared/state/fleet/contents.ts';
import { fleetRowKey, fleetSubject, readRow } from '#shared/state/fleet/fleet-rows.ts';
import { inventoryEntry } from '#shared/state/fleet/inventory.ts';
import { readHead } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import { retryContention } from '#shared/state/retry-contention.ts';
import type { AggregateDeps } from './deps.ts';
import { aggregateBundle } from './fleet-bundle.ts';
import { aggregateCluster } from './fleet-cluster.ts';
import { type ChangedRows, foldFamily, removeOldParts } from './fleet-family.ts';
import { type FleetAggregate, type FleetFinding, readFleetObject } from './fleet-finding.ts';
import { aggregateSource } from './fleet-source.ts';
import { notifyOfRows } from './notify-of-fleet-rows.ts';
import { hintUnlessApplied, settle } from './settle.ts';

/** The Clusters of a group store their own parts. */
const MEMBERS = mergingFold(CLUSTER_GROUP);

/**
 * Folds the Clusters of a ClusterGroup.
 *
 * @returns `undefined` if another process has stored a part meanwhile. The caller starts again.
 */
async function aggregateClusterGroup(
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

type Aggregate = (
  deps: AggregateDeps,
  aggregate: FleetAggregate,
) => Promise<FleetFinding | undefined>;

const AGGREGATES: Readonly<Record<AggregatedResource, Aggregate>> = {
  bundles: aggregateBundle,
  clusters: aggregateCluster,
  clustergroups: aggregateClusterGroup,
  gitrepos: aggregateSource,
  helmops: aggregateSource,
};

/** What has changed below an object of Fleet, and when. */
export interface FleetRowsChange extends ChangedRows {
  readonly change: ChangeTime;
}

async function attempt(
  deps: AggregateDeps,
  subject: FleetSubject,
  { rows, rest, progress, change }: FleetRowsChange,
): Promise<boolean> {
  const { store } = deps;
  const pk = subjectPartition(subject);
  const head = await readHead(store, pk);
  const aggregate = { subject, pk, head, changed: { rows, rest, progress } };
  const finding = await AGGREGATES[subject.resource](deps, aggregate);
  if (finding === undefined) return false;
  const { result, families, observed, destinations, targets } = finding;
  const next = await settle(deps, subject, {
    head,
    desired: FLEET_RESULT.encode(result),
    kept: {
      consumed: { [SORT.object]: observed.contentVersion },
      families,
      ...(destinations === undefined ? {} : { destinations }),
    },
  });
  if (next === undefined) return false;
  await removeOldParts(deps, pk, { before: head, next });
  const { revision } = next;
  const notify = notifyOfRows(deps, { cause: `${pk} ${revision}`, change });
  const common = { pk, revision, nowMs: deps.clock(), notify };
  if (!(await contribute(store, { ...common, wanted: finding.contributions(next) }))) return false;
  if (targets !== undefined) {
    const row = { family: 'BUNDLE', id: `${subject.namespace}/${subject.name}` } as const;
    const keyOf = (cluster: string) => {
      const below = fleetSubject(subject.upstream, 'clusters', cluster);
      return below && fleetRowKey(below, row);
    };
    if (!(await placeTargets(deps, { ...common, wanted: targets, keyOf }))) return false;
  }
  // If the object is gone or not known yet, there is nothing to write.
  if (observed.content !== undefined)
    await hintUnlessApplied(deps, subject, { head: next, change });
  return true;
}

/**
 * Folds the rows below an object of Fleet, puts the resulting rows below the objects above it, and notifies the writer
 * (docs/architecture.md, "Fleet"). If the aggregation runs late, the head does not change, and the progress records the
 * remaining work.
 *
 * @throws ContentionError if other processes kept aggregating the same object
 */
export async function aggregateFleet(
  deps: AggregateDeps,
  subject: FleetSubject,
  change: FleetRowsChange,
): Promise<void> {
  await retryContention(subjectPartition(subject), async () => {
    change.progress.begin();
    return (await attempt(deps, subject, change)) || change.progress.rest !== undefined;
  });
}
