import type { JsonObject } from '#shared/core/json.ts';
import type { BundlePart } from './bundle-fold.ts';
import { BUNDLE_SOURCES, type SourcePart } from './bundle-sources-fold.ts';
import { bundleStatus } from './bundle-status.ts';
import type { CellsPart } from './cells-fold.ts';
import type { ClusterContact } from './cluster-contact.ts';
import type { ClusterPart } from './cluster-fold.ts';
import type { GroupPart } from './cluster-group-fold.ts';
import { clusterGroupStatus, clusterStatus } from './cluster-status.ts';
import type { DesiredStatus } from './desired-status.ts';
import { readGitJob } from './git-job.ts';
import { gitRepoStatus, helmOpStatus } from './source-status.ts';

/** The result of everything below a Bundle. */
export interface BundleResult {
  /** The parts of its deployments, by the GitRepo and HelmOp that they name. */
  readonly parts: readonly SourcePart[];
  /** The errors in its targets, by field. */
  readonly targetErrors: readonly string[];
}

/** The result of everything below a Cluster. */
export interface ClusterResult {
  readonly namespace: string;
  readonly name: string;
  readonly contact: ClusterContact;
  readonly part: ClusterPart;
  /** `<namespace>/<name>` of the GitRepos and HelmOps in `part` that exist. */
  readonly gitRepos: readonly string[];
  readonly helmOps: readonly string[];
}

/** The result of everything below a ClusterGroup. */
export interface ClusterGroupResult {
  readonly part: GroupPart;
  readonly selectorErrors: readonly string[];
}

/** The result of everything below a HelmOp. */
export interface HelmOpResult {
  readonly part: BundlePart;
  readonly cells: CellsPart;
  /** The error of the first of its Bundles that has one, or `''` if none has. */
  readonly bundleError: string;
}

/** The result of everything below a GitRepo. */
export interface GitRepoResult extends HelmOpResult {
  /** Whether a known Bundle names it. */
  readonly hasBundles: boolean;
  /** Its newest git job. It is `null` if there is none, and absent if that is not known. */
  readonly job?: JsonObject | null;
}

/** The result of everything below an object of Fleet. Its status follows from this result and the object itself. */
export type FleetResult =
  | ({ readonly resource: 'bundles' } & BundleResult)
  | ({ readonly resource: 'clusters' } & ClusterResult)
  | ({ readonly resource: 'clustergroups' } & ClusterGroupResult)
  | ({ readonly resource: 'gitrepos' } & GitRepoResult)
  | ({ readonly resource: 'helmops' } & HelmOpResult);

/**
 * Returns the status that an object should have (docs/fleet.md), or undefined if Starfold must not change the status.
 *
 * @param object the current object
 * @param nowMs milliseconds since the epoch
 */
export function desiredFleetStatus(
  object: JsonObject,
  result: FleetResult,
  nowMs: number,
): DesiredStatus | undefined {
  switch (result.resource) {
    case 'bundles': {
      const { targetErrors } = result;
      return bundleStatus({
        bundle: object,
        part: BUNDLE_SOURCES.finish(result.parts),
        targetErrors,
      });
    }
    case 'clusters': {
      const gitRepos = new Set(result.gitRepos);
      const helmOps = new Set(result.helmOps);
      return clusterStatus({
        ...result,
        hasRepo: (id) => gitRepos.has(id),
        hasHelmOp: (id) => helmOps.has(id),
      });
    }
    case 'clustergroups':
      return clusterGroupStatus(result.part, result.selectorErrors);
    case 'gitrepos':
      return gitRepoStatus({ ...result, object, job: readGitJob(object, result.job, nowMs) });
    case 'helmops':
      return helmOpStatus({ ...result, object });
  }
}
