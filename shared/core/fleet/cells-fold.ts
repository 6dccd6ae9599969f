import { byWec, mergeFirst } from '#shared/core/collector/first-entries.ts';
import { NO_CLUSTER } from '#shared/core/fleet-object.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { DeploymentRow } from './deployment-row.ts';
import type { ResourceCounts } from './resource-counts.ts';

/** The deployments of a GitRepo or HelmOp in one cluster. */
export interface ClusterCell {
  /** `<namespace>/<name>`, or `/` for deployments without cluster labels. */
  readonly cluster: string;
  /** The number of its deployments in the cluster, and how many of them are Ready. */
  readonly deployments: number;
  readonly ready: number;
  readonly counts: ResourceCounts;
}

type CellEntry = readonly [cluster: string, counts: ResourceCounts];

/** The clusters of a GitRepo or HelmOp: their number, and the first ones with their resources. */
export interface CellsPart extends JsonObject {
  readonly desired: number;
  readonly ready: number;
  readonly total: number;
  readonly first: readonly CellEntry[];
}

/** The clusters of a status. */
export interface CellsResult {
  /** The number of clusters with a deployment, and the number of those in which all deployments are Ready. */
  readonly desiredReadyClusters: number;
  readonly readyClusters: number;
  readonly perClusterResourceCounts: JsonObject;
  /** The number of clusters that `perClusterResourceCounts` leaves out. */
  readonly left: number;
}

/** A cluster takes about 165 bytes in a status, and 250 in its managedFields. */
export const MAX_CLUSTERS_LISTED = 1000;

const ORDER = byWec<CellEntry>(MAX_CLUSTERS_LISTED);

/** Does the same as `Object.fromEntries`, but faster. An object without a prototype is fast with many names. */
function byCluster(entries: readonly CellEntry[]): JsonObject {
  const counts: Record<string, JsonObject> = Object.create(null);
  for (const [cluster, ofCluster] of entries) counts[cluster] = ofCluster;
  return Object.setPrototypeOf(counts, Object.prototype);
}

/**
 * The fold of the clusters of a GitRepo or HelmOp. Each cluster is a row. A cluster is ready if all its deployments are ready
 * (Fleet, Status Fields, "Ready").
 */
export const CELLS: Fold<ClusterCell, CellsPart, CellsResult> = {
  empty: { desired: 0, ready: 0, total: 0, first: [] },
  lift: ({ cluster, deployments, ready, counts }) => {
    const isCluster = cluster !== NO_CLUSTER;
    return {
      desired: isCluster ? 1 : 0,
      ready: isCluster && ready === deployments ? 1 : 0,
      total: 1,
      first: [[cluster, counts]],
    };
  },
  merge: (a, b) => ({
    desired: a.desired + b.desired,
    ready: a.ready + b.ready,
    total: a.total + b.total,
    first: mergeFirst(a.first, b.first, ORDER),
  }),
  finish: ({ desired, ready, total, first }) => ({
    desiredReadyClusters: desired,
    readyClusters: ready,
    perClusterResourceCounts: byCluster(first),
    left: total - first.length,
  }),
};

/**
 * The cell of one deployment.
 *
 * @param deployment its `cluster` is `''` if it has no cluster labels
 */
export function deploymentCell({
  cluster,
  state,
  counts,
}: Pick<DeploymentRow, 'cluster' | 'state' | 'counts'>): ClusterCell {
  const ready = state === 'Ready' ? 1 : 0;
  return { cluster: cluster || NO_CLUSTER, deployments: 1, ready, counts };
}
