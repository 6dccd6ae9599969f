import type { Context, ScheduledEvent } from 'aws-lambda';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import { type Observability, withMiddleware } from '#shared/runtime/batch.ts';
import { sweepFleet } from './fleet.ts';
import { underLease } from './lease.ts';
import {
  AGENTS_REPORT_AGAIN,
  AGENTS_SILENT,
  FELL_SILENT,
  LABELS_CHANGED,
  LETTERS_STAY,
  REPORT_AGAIN,
  SENT_BACK,
  UNREADABLE,
} from './log-messages.ts';
import { type PublishWorkloadsDeps, publishWorkloads } from './publish-workloads.ts';
import { type RedriveDeps, type RedriveOutcome, redriveDeadLetters } from './redrive.ts';
import { reportHeld } from './report-held.ts';
import { retrySetAside } from './retry-set-aside.ts';
import { settleSilentAfter } from './silent-after.ts';
import { type SweepStaleDeps, sweepStale } from './use-case.ts';

/** The dependencies of the function's tasks. */
export interface SweepStaleFunctionDeps
  extends SweepStaleDeps,
    Omit<RedriveDeps, 'clock'>,
    Pick<PublishWorkloadsDeps, 'countedWdses' | 'mostCounted'> {
  readonly hints: MessageSender;
  readonly telemetry: Telemetry;
}

/** The input of the schedules for redriving and for counting workload objects. The schedule for silence has none. */
export interface ScheduledTask {
  readonly task: 'redrive' | 'count';
}

/** A Lambda function that schedules start. */
export type SweepStaleHandler = (
  event: ScheduledEvent | ScheduledTask,
  context: Context,
) => Promise<void>;

const MAX_NAMED = 20;

async function sweepSilence(deps: SweepStaleFunctionDeps): Promise<void> {
  const { silent, speaking, labelled, unreadable } = await sweepStale(deps);
  const { telemetry } = deps;
  const wecFields = (wecs: readonly string[]) => ({
    wecs: wecs.slice(0, MAX_NAMED),
    count: wecs.length,
  });
  if (silent.length > 0) telemetry.warn(FELL_SILENT, wecFields(silent));
  if (speaking.length > 0) telemetry.info(REPORT_AGAIN, wecFields(speaking));
  if (labelled.length > 0) telemetry.info(LABELS_CHANGED, wecFields(labelled));
  warnOfUnreadable(deps, unreadable);
}

function warnOfUnreadable(
  { telemetry }: SweepStaleFunctionDeps,
  unreadable: readonly string[],
): void {
  if (unreadable.length > 0)
    telemetry.warn(UNREADABLE, {
      entries: unreadable.slice(0, MAX_NAMED),
      count: unreadable.length,
    });
}

async function sweepSilentAfter(deps: SweepStaleFunctionDeps): Promise<void> {
  warnOfUnreadable(deps, await settleSilentAfter(deps));
}

/** @throws the error of a management cluster, after all of them were swept. */
async function sweepClusters(deps: SweepStaleFunctionDeps): Promise<void> {
  const { silent, speaking, differences, error } = await sweepFleet(deps);
  const { telemetry } = deps;
  const clusterFields = (clusters: readonly string[]) => ({
    clusters: clusters.slice(0, MAX_NAMED),
    count: clusters.length,
  });
  if (silent.length > 0) telemetry.warn(AGENTS_SILENT, clusterFields(silent));
  if (speaking.length > 0) telemetry.info(AGENTS_REPORT_AGAIN, clusterFields(speaking));
  if (differences !== undefined) telemetry.count('FleetDifferences', differences);
  if (error !== undefined) throw error;
}

async function retryAside(deps: SweepStaleFunctionDeps): Promise<void> {
  const setAside = await retrySetAside(deps);
  if (setAside > 0) deps.telemetry.count('SubjectsSetAside', setAside);
}

/**
 * What users make long comes last: if it does not end, it delays nothing else.
 *
 * @throws the first error, after all tasks have run: the invocation must count as an error.
 */
async function sweep(deps: SweepStaleFunctionDeps): Promise<void> {
  const failures: unknown[] = [];
  for (const one of [sweepSilence, sweepClusters, retryAside, reportHeld, sweepSilentAfter])
    await one(deps).catch((error: unknown) => failures.push(error));
  for (const error of failures) throw error;
}

function logOutcome(telemetry: Telemetry, { queue, redriven, stayed }: RedriveOutcome): void {
  const isStaying = Object.keys(stayed).length > 0;
  if (redriven > 0) {
    telemetry.count('Redriven', redriven);
    telemetry.info(SENT_BACK, { queue, redriven });
  }
  if (isStaying) telemetry.warn(LETTERS_STAY, { queue, ...stayed });
}

/** @throws the error of one queue, after all queues were redriven: the invocation must count as an error. */
async function redrive(deps: SweepStaleFunctionDeps): Promise<void> {
  const outcomes = await redriveDeadLetters(deps);
  for (const outcome of outcomes) logOutcome(deps.telemetry, outcome);
  for (const { error } of outcomes) if (error !== undefined) throw error;
}

const TASKS = { sweep, redrive, count: publishWorkloads } as const;

/**
 * The function behind the schedules. It finds WECs and Clusters of Fleet that are silent or report again, subjects that are set
 * aside, and Bindings that are held. For a {@link ScheduledTask}, it redrives dead letters, or publishes the counts of workload
 * objects. It logs what has changed. Each of the tasks only runs once at a time.
 */
export function createSweepStale(
  deps: SweepStaleFunctionDeps,
  observability: Observability,
): SweepStaleHandler {
  return withMiddleware<ScheduledEvent | ScheduledTask, void>((event, context) => {
    const name = 'task' in event ? event.task : 'sweep';
    const run = TASKS[name];
    const longestMs = context.getRemainingTimeInMillis();
    return underLease(deps, { name, longestMs, run: () => run(deps) });
  }, observability);
}
