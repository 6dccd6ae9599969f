import { compareText } from '#shared/core/collector/first-entries.ts';
import { parseTimestamp } from '#shared/core/expression/time.ts';
import { endedVerdict } from '#shared/core/health/kstatus/job.ts';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import { conditionsOf } from '#shared/core/health/kstatus/observed-object.ts';
import type { KstatusVerdict } from '#shared/core/health/kstatus/verdict.ts';
import { at, type JsonObject, textAt } from '#shared/core/json.ts';
import { type ConditionChange, findCondition } from './condition.ts';
import { namespacedName, objectsAt } from './fleet-object.ts';

/** What the git job of a GitRepo has come to. */
export interface GitJob {
  /** kstatus of the job; `Current` where there is none. */
  readonly status: string;
  /** What is wrong with it; `''`: nothing. */
  readonly error: string;
}

/** The GitRepo that owns a Job, `<namespace>/<name>`; `''`: none does. */
export function gitRepoOf(job: JsonObject): string {
  const owner = objectsAt(job, 'metadata', 'ownerReferences').find(
    (reference) => textAt(reference, 'kind') === 'GitRepo',
  );
  const name = textAt(owner, 'name');
  return name === '' ? '' : namespacedName(textAt(job, 'metadata', 'namespace'), name);
}

/** Orders Jobs: the one that was made last comes first, then the one whose name does. */
export function compareJobs(a: JsonObject, b: JsonObject): number {
  const text = (job: JsonObject, field: string): string => textAt(job, 'metadata', field);
  return (
    compareText(text(b, 'creationTimestamp'), text(a, 'creationTimestamp')) ||
    compareText(text(a, 'name'), text(b, 'name'))
  );
}

const UNKNOWN_ERROR = 'Unknown error';
/** What Fleet says where there is no job (Fleet's code, `gitJobStatus`). */
const NO_JOB: GitJob = { status: 'Current', error: '' };

/** How kstatus says it (cli-utils): that is none of the log. */
const KSTATUS_ERROR = /^Job Failed\. failed: \d+\/\d+$/;

/** Whether something was said before a job was made, of which it says nothing then. */
function isBefore(said: JsonObject | undefined, job: JsonObject | undefined): boolean {
  const saidAt = parseTimestamp(textAt(said, 'lastUpdateTime'));
  const madeAt = parseTimestamp(textAt(job, 'metadata', 'creationTimestamp'));
  if (typeof saidAt === 'string' || typeof madeAt === 'string') return false;
  return saidAt.nanos < madeAt.nanos;
}

/**
 * What the log of the job says: Fleet's controller reads it, and keeps it in the condition Stalled. Polling that fails, and
 * what was found here, stand there as well, and are no error of the log; nor is what was said before the job was made.
 */
function loggedError(gitRepo: JsonObject, job: JsonObject | undefined): string {
  const stalled = findCondition(at(gitRepo, 'status', 'conditions'), 'Stalled');
  if (textAt(stalled, 'status') !== 'True' || isBefore(stalled, job)) return '';
  const message = textAt(stalled, 'message');
  const isLogged = message !== pollingError(gitRepo, 'GitPolling') && !KSTATUS_ERROR.test(message);
  return isLogged ? message : '';
}

/** kstatus of a job, which calls one that runs Current: it is in progress (Fleet, Status Fields, "Reconciling"). */
function jobStatus(job: JsonObject, { status }: KstatusVerdict): string {
  const ended = endedVerdict({ object: job, conditions: conditionsOf(job) ?? [] });
  return status === 'Current' && ended === undefined ? 'InProgress' : status;
}

/**
 * What the git job of a GitRepo has come to: from the job itself where it is known, else from what Fleet's controller
 * says of it in `status.gitJobStatus`. `undefined`: nothing is known, and there may be none.
 *
 * @param job the Job that the GitRepo owns; `null`: it owns none; `undefined`: that is not known
 * @param nowMs milliseconds since the epoch
 */
export function readGitJob(
  gitRepo: JsonObject,
  job: JsonObject | null | undefined,
  nowMs: number,
): GitJob | undefined {
  if (job === null) return NO_JOB;
  const verdict = job === undefined ? undefined : assessKstatus(job, nowMs);
  const status =
    job === undefined || verdict === undefined
      ? textAt(gitRepo, 'status', 'gitJobStatus')
      : jobStatus(job, verdict);
  if (status === '') return undefined;
  const error = loggedError(gitRepo, job) || verdict?.message || UNKNOWN_ERROR;
  return { status, error: status === 'Failed' ? error : '' };
}

function stalledBy(message: string): readonly ConditionChange[] {
  return [
    { type: 'Reconciling', status: 'False' },
    { type: 'Stalled', status: 'True', reason: 'Stalled', message },
  ];
}

const MOVING: readonly ConditionChange[] = [
  { type: 'Reconciling', status: 'True', reason: 'Reconciling' },
  { type: 'Stalled', status: 'False' },
];
const STEADY: readonly ConditionChange[] = [
  { type: 'Reconciling', status: 'False' },
  { type: 'Stalled', status: 'False' },
];

/** What a condition that is False says is wrong; `undefined` where it is not False. */
export function failureOf(object: JsonObject, type: string): string | undefined {
  const condition = findCondition(at(object, 'status', 'conditions'), type);
  return textAt(condition, 'status') === 'False' ? textAt(condition, 'message') : undefined;
}

/** What polling says is wrong, `''` for nothing: False without a message says that nobody polls (Fleet, Status Fields, "Polled"). */
function pollingError(object: JsonObject, type: 'GitPolling' | 'Polled'): string {
  return failureOf(object, type) ?? '';
}

/**
 * The conditions Reconciling and Stalled of a GitRepo (Fleet, Status Fields, "GitRepo"; rules as in Fleet's code): from its
 * git job, and from polling that fails. Nothing where nothing is known of either.
 */
export function gitRepoProgress(
  gitRepo: JsonObject,
  job: GitJob | undefined,
): readonly ConditionChange[] {
  if (job?.status === 'Failed') return stalledBy(job.error);
  const polling = pollingError(gitRepo, 'GitPolling');
  if (polling !== '') return stalledBy(polling);
  if (job === undefined)
    return findCondition(at(gitRepo, 'status', 'conditions'), 'GitPolling') === undefined
      ? []
      : STEADY;
  return job.status === 'InProgress' ? MOVING : STEADY;
}

/** The same of a HelmOp, which has no job (Fleet, Status Fields, "HelmOp Conditions"): from its polling, where it polls. */
export function helmOpProgress(helmOp: JsonObject): readonly ConditionChange[] {
  const polled = findCondition(at(helmOp, 'status', 'conditions'), 'Polled');
  if (polled === undefined) return [];
  const failure = pollingError(helmOp, 'Polled');
  return failure === '' ? STEADY : stalledBy(failure);
}
