import { isDeleting } from '#shared/core/deleting.ts';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { BUNDLE_SOURCES } from '#shared/core/fleet/bundle-sources-fold.ts';
import { bundleError } from '#shared/core/fleet/bundle-status.ts';
import { CELLS } from '#shared/core/fleet/cells-fold.ts';
import { clusterContact, silenceText } from '#shared/core/fleet/cluster-contact.ts';
import { CLUSTER } from '#shared/core/fleet/cluster-fold.ts';
import { CLUSTER_GROUP } from '#shared/core/fleet/cluster-group-fold.ts';
import { groupSelector } from '#shared/core/fleet/cluster-group-members.ts';
import {
  createInventory,
  targetCluster,
  targetGroup,
} from '#shared/core/fleet/cluster-inventory.ts';
import {
  type DeploymentRow,
  deploymentRow,
  parentsOf,
  pendingRow,
  silentRow,
} from '#shared/core/fleet/deployment-row.ts';
import type { DesiredStatus } from '#shared/core/fleet/desired-status.ts';
import { desiredFleetStatus, type FleetResult } from '#shared/core/fleet/fleet-result.ts';
import { compareJobs, gitRepoOf } from '#shared/core/fleet/git-job.ts';
import { addResourceCounts, NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import { bundleTargets } from '#shared/core/fleet/targets.ts';
import type { AggregatedKind } from '#shared/core/fleet-object.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import { at, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import type { ObjectsOf } from './naive-rows.ts';

/** What is known of a fleet, and what time it is. */
export interface NaiveFleet {
  readonly objects: ObjectsOf;
  readonly nowMs: number;
  /** Whether a GitRepo of which no Job is given has none. */
  readonly hasAllJobs: boolean;
}

/** One row after the other. */
function folded<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
  rows: readonly Row[],
): Part {
  return rows.reduce((part, row) => fold.merge(part, fold.lift(row)), fold.empty);
}

function placed(deployment: JsonObject, { objects, nowMs }: NaiveFleet): DeploymentRow {
  const row = deploymentRow(deployment);
  const namespace = textAt(deployment, 'metadata', 'namespace');
  const claiming = [...objects('Cluster')]
    .filter(([, one]) => namespace !== '' && at(one, 'status', 'namespace') === namespace)
    .map(([id]) => id);
  const cluster = row.cluster || claiming.sort()[0] || '';
  const object = objects('Cluster').get(cluster);
  const contact = object && clusterContact(object, nowMs);
  return contact?.type === 'silent'
    ? silentRow({ ...row, cluster }, silenceText(contact.lastSeen))
    : { ...row, cluster };
}

function targetsOf(bundle: JsonObject, { objects }: NaiveFleet) {
  const clusters = [...objects('Cluster').values()].map(targetCluster);
  const groups = [...objects('ClusterGroup').values()].map(targetGroup);
  return bundleTargets(bundle, createInventory(clusters, groups));
}

function parents(bundle: JsonObject) {
  const [namespace, name] = [
    textAt(bundle, 'metadata', 'namespace'),
    textAt(bundle, 'metadata', 'name'),
  ];
  return parentsOf(bundle, namespace, name);
}

function rowsOf(fleet: NaiveFleet): readonly DeploymentRow[] {
  const rows = [...fleet.objects('BundleDeployment').values()].map((one) => placed(one, fleet));
  const waiting: DeploymentRow[] = [];
  for (const [id, bundle] of fleet.objects('Bundle')) {
    if (isDeleting(bundle)) continue;
    for (const cluster of targetsOf(bundle, fleet).clusters)
      if (!rows.some((row) => row.bundle === id && row.cluster === cluster))
        waiting.push(pendingRow(parents(bundle), cluster));
  }
  return [...rows, ...waiting];
}

function belowSource(
  fleet: NaiveFleet,
  own: readonly DeploymentRow[],
  bundles: readonly (readonly [id: string, bundle: JsonObject])[],
) {
  const cells = [...new Set(own.map(({ cluster }) => cluster))].map((cluster) => {
    const there = own.filter((row) => row.cluster === cluster);
    return {
      cluster: cluster || '/',
      deployments: there.length,
      ready: there.filter(({ state }) => state === 'Ready').length,
      counts: there.map(({ counts }) => counts).reduce(addResourceCounts, NO_RESOURCES),
    };
  });
  const errors = bundles
    .map(([id, bundle]) => ({
      order: `${textAt(bundle, 'metadata', 'uid')}\n${id}`,
      error: bundleError({ bundle, targetErrors: targetsOf(bundle, fleet).errors }),
    }))
    .filter(({ error }) => error !== '')
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  return {
    part: folded(BUNDLE, own),
    cells: folded(CELLS, cells),
    bundleError: errors[0]?.error ?? '',
  };
}

function resultOf(
  fleet: NaiveFleet,
  kind: AggregatedKind,
  [id, object]: readonly [id: string, object: JsonObject],
): FleetResult {
  const { objects, nowMs, hasAllJobs } = fleet;
  const rows = rowsOf(fleet);
  const bundles = [...objects('Bundle')];
  const part = (cluster: string) =>
    folded(
      CLUSTER,
      rows.filter((row) => row.cluster === cluster),
    );
  switch (kind) {
    case 'Bundle': {
      const own = rows.filter(({ bundle }) => bundle === id);
      const targetErrors = targetsOf(object, fleet).errors;
      return { resource: 'bundles', parts: folded(BUNDLE_SOURCES, own), targetErrors };
    }
    case 'GitRepo': {
      const own = rows.filter(({ repo }) => repo === id);
      const named = bundles.filter(([, bundle]) => parents(bundle).repo === id);
      const jobs = [...objects('Job').values()].filter((job) => gitRepoOf(job) === id);
      const job = jobs.sort(compareJobs)[0] ?? (hasAllJobs ? null : undefined);
      return {
        resource: 'gitrepos',
        ...belowSource(fleet, own, named),
        hasBundles: named.length > 0,
        ...(job === undefined ? {} : { job }),
      };
    }
    case 'HelmOp': {
      const own = rows.filter(({ helmOp }) => helmOp === id);
      const named = bundles.filter(([, bundle]) => parents(bundle).helmOp === id);
      return { resource: 'helmops', ...belowSource(fleet, own, named) };
    }
    case 'Cluster': {
      const { namespace, name } = targetCluster(object);
      const contact = clusterContact(object, nowMs);
      const [gitRepos, helmOps] = [[...objects('GitRepo').keys()], [...objects('HelmOp').keys()]];
      return { resource: 'clusters', namespace, name, contact, part: part(id), gitRepos, helmOps };
    }
    case 'ClusterGroup': {
      const { matches, errors } = groupSelector(object);
      const members = [...objects('Cluster')].filter(([, one]) => matches(targetCluster(one)));
      const of = members.map(([cluster, one]) => {
        const { namespace, name } = targetCluster(one);
        return { namespace, name, contact: clusterContact(one, nowMs), part: part(cluster) };
      });
      return { resource: 'clustergroups', part: folded(CLUSTER_GROUP, of), selectorErrors: errors };
    }
  }
}

/**
 * What the status of an object should be, by loops over all objects for each of them: it shares the rules of rows, folds
 * and statuses with what it is compared with, and nothing of how they are put together.
 *
 * @param id `<namespace>/<name>`
 * @returns `undefined` where there is no such object, or its status is to be left as it is
 */
export function naiveStatus(
  fleet: NaiveFleet,
  kind: AggregatedKind,
  id: string,
): DesiredStatus | undefined {
  const object = fleet.objects(kind).get(id);
  return object && desiredFleetStatus(object, resultOf(fleet, kind, [id, object]), fleet.nowMs);
}
