import { compareText } from '#shared/core/collector/first-entries.ts';
import { parseTimestamp } from '#shared/core/expression/time.ts';
import { namespacedName, objectsAt } from '#shared/core/fleet-object.ts';
import { endedVerdict } from '#shared/core/health/kstatus/job.ts';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import { conditionsOf } from '#shared/core/health/kstatus/observed-object.ts';
import type { KstatusVerdict } from '#shared/core/health/kstatus/verdict.ts';
import { at, type JsonObject, textAt } from '#shared/core/json.ts';
import { type ConditionChange, findCondition } from './condition.ts';

/** The outcome of the git job of a GitRepo. */
export interface GitJob {
  /** The job's status in kstatus, or `Current` if there is no job. */
  readonly status: string;
  /** The error of the job, or `''` if there is none. */
  readonly error: string;
}

/** The GitRepo that owns a Job, as `<namespace>/<name>`, or `''` if none does. */
export function gitRepoOf(job: JsonObject): string {
  const owner = objectsAt(job, 'metadata', 'ownerReferences').find(
    (reference) => textAt(reference, 'kind') === 'GitRepo',
  );
  const name = textAt(owner, 'name');
  return name === '' ? '' : namespacedName(textAt(job, 'metadata', 'namespace'), name);
}

/** Orders Jobs by creation time, newest first, then by name. */
export function compareJobs(a: JsonObject, b: JsonObject): number {
  const text = (job: JsonObject, field: string): string => textAt(job, 'metadata', field);
  return (
    compareText(text(b, 'creationTimestamp'), text(a, 'creationTimestamp')) ||
    compareText(text(a, 'name'), text(b, 'name'))
  );
}

const UNKNOWN_ERROR = 'Unknown error';
/** Fleet's status if there is no job (Fleet's code, `gitJobStatus`). */
const NO_JOB: GitJob = { status: 'Current', error: '' };

/** The text of kstatus for a failed job (cli-utils). It does not come from the log. */
const KSTATUS_ERROR = /^Job Failed\. failed: \d+\/\d+$/;

/** Whether a condition was updated before a job was created. Then the condition is not about that job. */
function isBefore(entry: JsonObject | undefined, job: JsonObject | undefined): boolean {
  const updatedAt = parseTimestamp(textAt(entry, 'lastUpdateTime'));
  const madeAt = parseTimestamp(textAt(job, 'metadata', 'creationTimestamp'));
  if (typeof updatedAt === 'string' || typeof madeAt === 'string') return false;
  return updatedAt.nanos < madeAt.nanos;
}

/**
 * The error from the log of the job. Fleet's controller reads the log, and stores the error in the condition Stalled. That
 * condition also contains errors of polling and errors that Starfold wrote. They do not come from the log. A condition from
 * before the job was created is not about that job.
 */
function loggedError(gitRepo: JsonObject, job: JsonObject | undefined): string {
  const stalled = findCondition(at(gitRepo, 'status', 'conditions'), 'Stalled');
  if (textAt(stalled, 'status') !== 'True' || isBefore(stalled, job)) return '';
  const message = textAt(stalled, 'message');
  const isLogged = message !== pollingError(gitRepo, 'GitPolling') && !KSTATUS_ERROR.test(message);
  return isLogged ? message : '';
}

/**
 * The job's status in kstatus, but `InProgress` for a job that runs, which kstatus calls Current (Fleet, Status Fields,
 * "Reconciling").
 */
function jobStatus(job: JsonObject, { status }: KstatusVerdict): string {
  const ended = endedVerdict({ object: job, conditions: conditionsOf(job) ?? [] });
  return status === 'Current' && ended === undefined ? 'InProgress' : status;
}

/**
 * Reads the outcome of the git job of a GitRepo: from the job if it is known, otherwise from `status.gitJobStatus`, which
 * Fleet's controller writes. Returns undefined if nothing is known; there may be no job.
 *
 * @param job the Job that the GitRepo owns; `null` if it owns none, undefined if that is not known
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

/** The message of a condition that is False; undefined if the condition is not False. */
export function failureOf(object: JsonObject, type: string): string | undefined {
  const condition = findCondition(at(object, 'status', 'conditions'), type);
  return textAt(condition, 'status') === 'False' ? textAt(condition, 'message') : undefined;
}

/**
 * The error of polling, or `''` if there is none. If the condition is False without a message, polling is off (Fleet, Status
 * Fields, "Polled").
 */
function pollingError(object: JsonObject, type: 'GitPolling' | 'Polled'): string {
  return failureOf(object, type) ?? '';
}

/**
 * The conditions Reconciling and Stalled of a GitRepo (Fleet, Status Fields, "GitRepo"; rules as in Fleet's code). They follow
 * from its git job and from failures of polling. If neither is known, the result is empty.
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

/**
 * The conditions Reconciling and Stalled of a HelmOp, which has no job (Fleet, Status Fields, "HelmOp Conditions"). They follow
 * from its polling. If it does not poll, the result is empty.
 */
export function helmOpProgress(helmOp: JsonObject): readonly ConditionChange[] {
  const polled = findCondition(at(helmOp, 'status', 'conditions'), 'Polled');
  if (polled === undefined) return [];
  const failure = pollingError(helmOp, 'Polled');
  return failure === '' ? STEADY : stalledBy(failure);
}
