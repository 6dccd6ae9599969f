import { compareText, type EntryOrder, mergeFirst } from '#shared/core/collector/first-entries.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type ClusterCell, deploymentCell } from './cells-fold.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { addResourceCounts, NO_RESOURCES, type ResourceCounts } from './resource-counts.ts';
import {
  EMPTY_SUMMARY,
  liftSummary,
  mergeSummaries,
  type Placed,
  type SummaryPart,
} from './summary-fold.ts';

/** The deployments of a GitRepo or HelmOp in the cluster. */
export interface SourceCell extends JsonObject {
  /** `<namespace>/<name>` of the GitRepo or HelmOp. */
  readonly source: string;
  readonly cell: ClusterCell & JsonObject;
  /**
   * The number of deployments that count for this source. A deployment of a HelmOp that also names a GitRepo counts for the
   * GitRepo.
   */
  readonly own: number;
}

/** The fold of a Cluster's deployments, for the statuses of the Cluster and of GitRepos, HelmOps and ClusterGroups. */
export interface ClusterPart extends JsonObject {
  /** Ordered by the names of BundleDeployments. */
  readonly summary: SummaryPart;
  readonly counts: ResourceCounts;
  /** Sorted by source. */
  readonly repos: readonly SourceCell[];
  readonly helmOps: readonly SourceCell[];
}

const SOURCES: EntryOrder<SourceCell> = {
  limit: Number.POSITIVE_INFINITY,
  compare: (a, b) => compareText(a.source, b.source),
  combine: (a, b) => ({
    source: a.source,
    cell: {
      cluster: a.cell.cluster,
      deployments: a.cell.deployments + b.cell.deployments,
      ready: a.cell.ready + b.cell.ready,
      counts: addResourceCounts(a.cell.counts, b.cell.counts),
    },
    own: a.own + b.own,
  }),
};

function cellOf(row: DeploymentRow, source: string, own: boolean): readonly SourceCell[] {
  if (source === '') return [];
  return [{ source, cell: { ...deploymentCell(row) }, own: own ? 1 : 0 }];
}

/** The order within the cluster, and among the clusters of a group. */
function byName({ cluster, name, bundle, namespace }: DeploymentRow): Placed {
  return { order: [cluster, name, bundle, namespace].join('\n'), name };
}

/** The fold of the deployments of one cluster. */
export const CLUSTER: Fold<DeploymentRow, ClusterPart, ClusterPart> = {
  empty: { summary: EMPTY_SUMMARY, counts: NO_RESOURCES, repos: [], helmOps: [] },
  lift: (row) => ({
    summary: liftSummary(row, byName),
    counts: row.counts,
    repos: cellOf(row, row.repo, true),
    helmOps: cellOf(row, row.helmOp, row.repo === ''),
  }),
  merge: (a, b) => ({
    summary: mergeSummaries(a.summary, b.summary),
    counts: addResourceCounts(a.counts, b.counts),
    repos: mergeFirst(a.repos, b.repos, SOURCES),
    helmOps: mergeFirst(a.helmOps, b.helmOps, SOURCES),
  }),
  finish: (part) => part,
};
