import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { addResourceCounts, NO_RESOURCES, type ResourceCounts } from './resource-counts.ts';
import { liftResources, mergeResources, NO_ENTRIES, type ResourcesPart } from './resources-fold.ts';
import {
  EMPTY_SUMMARY,
  liftSummary,
  mergeSummaries,
  type Placed,
  type SummaryPart,
} from './summary-fold.ts';

/** The fold of a Bundle's deployments, for the status of the Bundle and of the GitRepo or HelmOp above it. */
export interface BundlePart extends JsonObject {
  /** Ordered and named by cluster. */
  readonly byCluster: SummaryPart;
  /** Ordered by UID, named by BundleDeployment. */
  readonly byUid: SummaryPart;
  readonly unavailable: number;
  readonly counts: ResourceCounts;
  readonly resources: ResourcesPart;
}

function joined(...parts: readonly string[]): string {
  return parts.join('\n');
}

function inCluster({ cluster, namespace, name }: DeploymentRow): Placed {
  const slash = cluster.indexOf('/');
  return {
    // Fleet sorts by the name of the cluster.
    order: joined(cluster.slice(slash + 1), cluster.slice(0, Math.max(slash, 0)), namespace, name),
    name: cluster || `${namespace}/${name}`,
  };
}

function byUid({ uid, namespace, name, cluster }: DeploymentRow): Placed {
  return { order: joined(uid, namespace, name, cluster), name };
}

/** The fold of the targets of a Bundle: its BundleDeployments, and the clusters that have none yet. */
export const BUNDLE: Fold<DeploymentRow, BundlePart, BundlePart> = {
  empty: {
    byCluster: EMPTY_SUMMARY,
    byUid: EMPTY_SUMMARY,
    unavailable: 0,
    counts: NO_RESOURCES,
    resources: NO_ENTRIES,
  },
  lift: (row) => ({
    byCluster: liftSummary(row, inCluster),
    byUid: liftSummary(row, byUid),
    unavailable: row.unavailable ? 1 : 0,
    counts: row.counts,
    resources: liftResources(row),
  }),
  merge: (a, b) => ({
    byCluster: mergeSummaries(a.byCluster, b.byCluster),
    byUid: mergeSummaries(a.byUid, b.byUid),
    unavailable: a.unavailable + b.unavailable,
    counts: addResourceCounts(a.counts, b.counts),
    resources: mergeResources(a.resources, b.resources),
  }),
  finish: (part) => part,
};
