import { isDeleting } from '#shared/core/deleting.ts';
import { integerAt } from '#shared/core/fleet-object.ts';
import { at, type JsonObject, member, textAt } from '#shared/core/json.ts';
import type { BundlePart } from './bundle-fold.ts';
import { displayState, readyRatio } from './bundle-status.ts';
import { CELLS, type CellsPart } from './cells-fold.ts';
import { type ConditionChange, findCondition } from './condition.ts';
import { type DesiredStatus, errorCondition, readyCondition, saying } from './desired-status.ts';
import { failureOf, type GitJob, gitRepoProgress, helmOpProgress } from './git-job.ts';
import { type LeftOut, leftOut, NO_TARGETS } from './messages.ts';
import { readyMessage } from './ready-message.ts';
import { boundedText } from './resource-message.ts';
import { resourcesList } from './resources-list.ts';
import { deploymentsIn, firstOf, summaryJson, worstState } from './summary-fold.ts';

/** A GitRepo or HelmOp, and everything below it. */
export interface SourceInputs {
  /** The GitRepo or HelmOp. */
  readonly object: JsonObject;
  /** All targets of its Bundles. */
  readonly part: BundlePart;
  /** Its clusters. */
  readonly cells: CellsPart;
  /** The error of the first of its Bundles that has one, or `''` if none has. */
  readonly bundleError: string;
}

/** A GitRepo, with its Bundles and its job. */
export interface GitRepoInputs extends SourceInputs {
  /** Whether its Bundles are known. Their parts name clusters. */
  readonly hasBundles: boolean;
  readonly job: GitJob | undefined;
}

/** The type of a condition that says that the status is incomplete. Fleet cuts statuses without such a condition. */
const TRUNCATED = 'Truncated';

function truncation(object: JsonObject, left: LeftOut): readonly ConditionChange[] {
  const message = leftOut(left);
  if (message !== '') return [{ type: TRUNCATED, status: 'True', reason: 'TooLarge', message }];
  const stood = findCondition(at(object, 'status', 'conditions'), TRUNCATED);
  return stood === undefined ? [] : [{ type: TRUNCATED, status: 'False' }];
}

/** StatusBase, the common part of the statuses of GitRepos and HelmOps, without Ready (Fleet, Status Fields, class diagram). */
function statusBase({ object, part, cells }: SourceInputs): DesiredStatus {
  const clusters = CELLS.finish(cells);
  const list = resourcesList(part.resources);
  const worst = worstState(part.byUid);
  const message = firstOf(part.byUid, worst)[0]?.message ?? '';
  const { desiredReadyClusters, readyClusters, perClusterResourceCounts } = clusters;
  return {
    fields: {
      readyClusters,
      desiredReadyClusters,
      summary: summaryJson(part.byUid),
      display: saying({
        readyBundleDeployments: readyRatio(part.byUid),
        state: displayState(worst),
        message,
        error: message !== '',
      }),
      resourceCounts: part.counts,
      ...(list.resources.length > 0 ? { resources: list.resources } : {}),
      ...(cells.total > 0 ? { perClusterResourceCounts } : {}),
    },
    absent: ['resources', 'perClusterResourceCounts'],
    conditions: truncation(object, {
      clusters: clusters.left,
      resources: list.left,
      cut: list.cut,
    }),
  };
}

/** The condition Ready. If there are no deployments, it is True with a reason. */
function readyOf(message: string, { byUid }: BundlePart): ConditionChange {
  return deploymentsIn(byUid) > 0 || message !== ''
    ? readyCondition(message)
    : { type: 'Ready', status: 'True', reason: 'NoTargets', message: NO_TARGETS };
}

function gitRepoReady({ part, job, bundleError, hasBundles }: GitRepoInputs): ConditionChange {
  const error = job?.error || bundleError;
  if (error !== '') return errorCondition('Ready', error);
  const message = hasBundles
    ? readyMessage(part.byCluster, 'Cluster')
    : readyMessage(part.byUid, 'Bundle');
  return readyOf(message, part);
}

/** Adds a job that is not done to the display. It does not replace a worse state. */
function withJob(display: JsonObject, job: GitJob | undefined): JsonObject {
  if (job === undefined || job.status === 'Current') return display;
  const state = textAt(display, 'state') || 'GitUpdating';
  const message = textAt(display, 'message') || boundedText(job.error);
  return { ...display, ...saying({ state, message, error: message !== '' }) };
}

/**
 * The status of a GitRepo (Fleet, Status Fields, "GitRepo", "`status.display`", "Resources List", "Resource Counts"). Returns
 * undefined if Fleet does not change the status: the GitRepo is being deleted, names no repository, or is not accepted.
 */
export function gitRepoStatus(inputs: GitRepoInputs): DesiredStatus | undefined {
  const { object, job } = inputs;
  const isAccepted = failureOf(object, 'Accepted') === undefined;
  if (isDeleting(object) || textAt(object, 'spec', 'repo') === '' || !isAccepted) return undefined;
  const base = statusBase(inputs);
  const display = member(base.fields, 'display') as JsonObject;
  return {
    ...base,
    fields: {
      observedGeneration: integerAt(object, 'status', 'observedGeneration'),
      ...base.fields,
      display: withJob(display, job),
      ...(job === undefined ? {} : { gitJobStatus: job.status }),
    },
    conditions: [gitRepoReady(inputs), ...gitRepoProgress(object, job), ...base.conditions],
  };
}

/** The status of a HelmOp (Fleet, Status Fields, "HelmOp Conditions" and the sections about a GitRepo). */
export function helmOpStatus(inputs: SourceInputs): DesiredStatus {
  const { part, object, bundleError } = inputs;
  const base = statusBase(inputs);
  const ready =
    bundleError === ''
      ? readyOf(readyMessage(part.byUid, 'Bundle'), part)
      : errorCondition('Ready', bundleError);
  return { ...base, conditions: [ready, ...helmOpProgress(object), ...base.conditions] };
}
