import { compareText } from '#shared/core/collector/first-entries.ts';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { BUNDLE_SOURCES } from '#shared/core/fleet/bundle-sources-fold.ts';
import { bundleError } from '#shared/core/fleet/bundle-status.ts';
import { CELLS } from '#shared/core/fleet/cells-fold.ts';
import { clusterContact } from '#shared/core/fleet/cluster-contact.ts';
import { CLUSTER, type ClusterPart, type SourceCell } from '#shared/core/fleet/cluster-fold.ts';
import { CLUSTER_GROUP } from '#shared/core/fleet/cluster-group-fold.ts';
import { groupSelector } from '#shared/core/fleet/cluster-group-members.ts';
import { targetCluster } from '#shared/core/fleet/cluster-inventory.ts';
import type { DeploymentRow, RowParents } from '#shared/core/fleet/deployment-row.ts';
import type { DesiredStatus } from '#shared/core/fleet/desired-status.ts';
import { desiredFleetStatus, type FleetResult } from '#shared/core/fleet/fleet-result.ts';
import { compareJobs, gitRepoOf } from '#shared/core/fleet/git-job.ts';
import { type AggregatedKind, namespacedName } from '#shared/core/fleet-object.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import {
  bundlesOf,
  byKind,
  type FleetObject,
  type ObjectsOf,
  type TargetedBundle,
  targetRows,
} from './fleet-targets.ts';

/** Everything that determines the statuses, computed once. */
interface FleetState {
  readonly nowMs: number;
  readonly objectsOf: ObjectsOf;
  readonly bundles: ReadonlyMap<string, TargetedBundle>;
  /** The rows of targets by their Bundle, GitRepo or HelmOp. */
  readonly rows: Readonly<Record<keyof RowParents, ReadonlyMap<string, readonly DeploymentRow[]>>>;
  /** The Bundles, by the GitRepo or HelmOp that their labels name. */
  readonly named: Readonly<
    Record<'repo' | 'helmOp', ReadonlyMap<string, readonly TargetedBundle[]>>
  >;
  /** By Cluster. The key `''` has the deployments that belong to no Cluster. */
  readonly clusterParts: ReadonlyMap<string, ClusterPart>;
  /** What each GitRepo or HelmOp has in each Cluster. */
  readonly cells: Readonly<Record<'repo' | 'helmOp', ReadonlyMap<string, readonly SourceCell[]>>>;
  readonly jobs: ReadonlyMap<string, readonly JsonObject[]>;
}

function fleetState(objects: readonly FleetObject[], nowMs: number): FleetState {
  const objectsOf = byKind(objects);
  const bundles = bundlesOf(objectsOf);
  const rows = targetRows(objectsOf, bundles.values(), nowMs);
  return fleetOf({ nowMs, objectsOf, bundles }, rows);
}

type FleetObjects = Pick<FleetState, 'nowMs' | 'objectsOf' | 'bundles'>;

/** What follows from these rows of targets. */
function fleetOf(inputs: FleetObjects, rows: readonly DeploymentRow[]): FleetState {
  const { nowMs, objectsOf, bundles } = inputs;
  const byCluster = [...Map.groupBy(rows, ({ cluster }) => cluster)];
  const clusterParts = new Map(byCluster.map(([id, own]) => [id, foldRows(CLUSTER, own)]));
  const parts = [...clusterParts.values()];
  return {
    nowMs,
    objectsOf,
    bundles,
    rows: {
      bundle: Map.groupBy(rows, ({ bundle }) => bundle),
      repo: Map.groupBy(rows, ({ repo }) => repo),
      helmOp: Map.groupBy(rows, ({ helmOp }) => helmOp),
    },
    named: {
      repo: Map.groupBy(bundles.values(), ({ parents }) => parents.repo),
      helmOp: Map.groupBy(bundles.values(), ({ parents }) => parents.helmOp),
    },
    clusterParts,
    cells: {
      repo: Map.groupBy(
        parts.flatMap(({ repos }) => repos),
        ({ source }) => source,
      ),
      helmOp: Map.groupBy(
        parts.flatMap(({ helmOps }) => helmOps),
        ({ source }) => source,
      ),
    },
    jobs: Map.groupBy(objectsOf('Job').values(), gitRepoOf),
  };
}

function clusterPart({ clusterParts }: FleetState, id: string): ClusterPart {
  return clusterParts.get(id) ?? CLUSTER.empty;
}

/** The result for a GitRepo or a HelmOp, from the objects below it. */
function sourceResult(fleet: FleetState, type: 'repo' | 'helmOp', id: string) {
  const cells = fleet.cells[type].get(id) ?? [];
  // Fleet processes the Bundles in the order of their UIDs.
  const order = (bundle: TargetedBundle) =>
    `${textAt(bundle.object, 'metadata', 'uid')}\n${bundle.id}`;
  const errors = [...(fleet.named[type].get(id) ?? [])]
    .sort((a, b) => compareText(order(a), order(b)))
    .map(({ object, targetErrors }) => bundleError({ bundle: object, targetErrors }));
  return {
    part: foldRows(BUNDLE, fleet.rows[type].get(id) ?? []),
    cells: foldRows(
      CELLS,
      cells.map(({ cell }) => cell),
    ),
    bundleError: errors.find((error) => error !== '') ?? '',
  };
}

function gitRepoResult(fleet: FleetState, id: string): FleetResult {
  // Of several jobs, the one that was created last counts, then the first by name. If no jobs are given, it is not
  // known whether there is one, and the present status counts.
  const [job] = [...(fleet.jobs.get(id) ?? [])].sort(compareJobs);
  return {
    resource: 'gitrepos',
    ...sourceResult(fleet, 'repo', id),
    hasBundles: fleet.named.repo.has(id),
    ...(job === undefined ? {} : { job }),
  };
}

function clusterResult(fleet: FleetState, id: string, object: JsonObject): FleetResult {
  const { namespace, name } = targetCluster(object);
  const part = clusterPart(fleet, id);
  const existing = (cells: readonly SourceCell[], kind: AggregatedKind): readonly string[] =>
    cells.map(({ source }) => source).filter((source) => fleet.objectsOf(kind).has(source));
  return {
    resource: 'clusters',
    namespace,
    name,
    contact: clusterContact(object, fleet.nowMs),
    part,
    gitRepos: existing(part.repos, 'GitRepo'),
    helmOps: existing(part.helmOps, 'HelmOp'),
  };
}

function clusterGroupResult(fleet: FleetState, object: JsonObject): FleetResult {
  const selector = groupSelector(object);
  const rows = [...fleet.objectsOf('Cluster')].flatMap(([id, cluster]) => {
    const target = targetCluster(cluster);
    if (!selector.matches(target)) return [];
    const { namespace, name } = target;
    const contact = clusterContact(cluster, fleet.nowMs);
    return [{ namespace, name, contact, part: clusterPart(fleet, id) }];
  });
  const part = foldRows(CLUSTER_GROUP, rows);
  return { resource: 'clustergroups', part, selectorErrors: selector.errors };
}

/** The result for an object, or `undefined` if its status does not depend on other objects. */
function resultOf(fleet: FleetState, { kind, namespace, name, object }: FleetObject) {
  const id = namespacedName(namespace, name);
  switch (kind) {
    case 'Bundle': {
      const parts = foldRows(BUNDLE_SOURCES, fleet.rows.bundle.get(id) ?? []);
      // Every Bundle is in the map.
      const { targetErrors } = fleet.bundles.get(id) as TargetedBundle;
      return { resource: 'bundles', parts, targetErrors } as const;
    }
    case 'GitRepo':
      return gitRepoResult(fleet, id);
    case 'HelmOp':
      return { resource: 'helmops', ...sourceResult(fleet, 'helmOp', id) } as const;
    case 'Cluster':
      return clusterResult(fleet, id, object);
    case 'ClusterGroup':
      return clusterGroupResult(fleet, object);
    default:
      return undefined;
  }
}

/** The Clusters of a ClusterGroup, by `<namespace>/<name>`. */
function clustersOf({ objectsOf }: FleetObjects, group: JsonObject): ReadonlySet<string> {
  const selector = groupSelector(group);
  const clusters = [...objectsOf('Cluster')];
  return new Set(
    clusters.flatMap(([id, cluster]) => (selector.matches(targetCluster(cluster)) ? [id] : [])),
  );
}

/** Whether a row of a target is below an object. */
function isBelow(
  inputs: FleetObjects,
  { kind, namespace, name, object }: FleetObject,
): (row: DeploymentRow) => boolean {
  const id = namespacedName(namespace, name);
  switch (kind) {
    case 'Bundle':
      return ({ bundle }) => bundle === id;
    case 'GitRepo':
      return ({ repo }) => repo === id;
    case 'HelmOp':
      return ({ helmOp }) => helmOp === id;
    case 'Cluster':
      return ({ cluster }) => cluster === id;
    default: {
      const clusters = clustersOf(inputs, object);
      return ({ cluster }) => clusters.has(cluster);
    }
  }
}

/** The targets below an object of Fleet, and the status that would follow from some of them. */
export interface FleetTargets {
  /** One for each BundleDeployment, and for each Cluster that waits for one. */
  readonly rows: readonly DeploymentRow[];
  /** Names (`<namespace>/<name>`) of the Clusters of the rows whose agents are silent, sorted. */
  readonly silent: readonly string[];
  /** The desired status if only these rows existed, or undefined if the status must not be changed. */
  statusOf(rows: readonly DeploymentRow[]): DesiredStatus | undefined;
}

/**
 * The targets that determine the status of one of Fleet's objects.
 *
 * @param one a Bundle, GitRepo, HelmOp, Cluster or ClusterGroup among the objects
 */
export function fleetTargets(
  objects: readonly FleetObject[],
  one: FleetObject,
  nowMs: number,
): FleetTargets {
  const objectsOf = byKind(objects);
  const inputs = { nowMs, objectsOf, bundles: bundlesOf(objectsOf) };
  const rows = targetRows(objectsOf, inputs.bundles.values(), nowMs).filter(isBelow(inputs, one));
  const clusters = [...new Set(rows.map(({ cluster }) => cluster))].sort();
  const isSilent = (id: string): boolean =>
    clusterContact(objectsOf('Cluster').get(id) ?? {}, nowMs).type === 'silent';
  return {
    rows,
    silent: clusters.filter(isSilent),
    statusOf(chosen) {
      const result = resultOf(fleetOf(inputs, chosen), one);
      return result && desiredFleetStatus(one.object, result, nowMs);
    },
  };
}

/**
 * The desired statuses of Fleet's objects, computed only from the objects (docs/fleet.md): without events, a store or a
 * history.
 *
 * @param objects each once, in any order; they are the keys of the result
 * @param nowMs milliseconds since the epoch
 * @returns the desired statuses; if an object is missing in the result, its status must not be changed
 */
export function desiredFleet(
  objects: readonly FleetObject[],
  nowMs: number,
): ReadonlyMap<FleetObject, DesiredStatus> {
  const fleet = fleetState(objects, nowMs);
  return new Map(
    objects.flatMap((one): [FleetObject, DesiredStatus][] => {
      const result = resultOf(fleet, one);
      const desired = result && desiredFleetStatus(one.object, result, nowMs);
      return desired === undefined ? [] : [[one, desired]];
    }),
  );
}
