import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import type { SqsFailure } from './failure.ts';

/** Work that one entry of a batch does. */
export interface Task<Entry> {
  readonly entry: Entry;
  /** Its share of {@link MAX_MESSAGE_BYTES}, which is SQS's limit for a batch and for a message. */
  readonly bytes: number;
  /** Tasks of one group are done in order. */
  readonly group: string | undefined;
}

/** How batches are sent, and how failures are handled. */
export interface BatchRules<Entry> {
  /** Sends one batch. Returns the failure of each entry, in order, or undefined if it was done. */
  send(entries: readonly Entry[]): Promise<readonly (SqsFailure | undefined)[]>;
  /** Returns true if the failure counts as success, and false if the task is to be retried. Throws for all other failures. */
  settles(failure: SqsFailure, task: Task<Entry>): boolean;
  /** The error of a task that failed too often. */
  exhausted(failure: SqsFailure): Error;
  /** Waits before tasks that have failed this many times are retried. */
  backOff(failures: number): Promise<void>;
}

interface Pending<Entry> {
  readonly task: Task<Entry>;
  readonly failures: number;
}

const MAX_ENTRIES = 10;
const MAX_PARALLEL_BATCHES = 4;
const MAX_ATTEMPTS = 6;

/**
 * Only the first task of each group. Two tasks of a group must not be sent at the same time, not even in one batch: the first
 * might fail while the second succeeds.
 */
function firstOfGroups<Entry>(pending: readonly Pending<Entry>[]): readonly Pending<Entry>[] {
  const groups = new Set<string>();
  return pending.filter(({ task: { group } }) => {
    if (group === undefined) return true;
    const isFirst = !groups.has(group);
    groups.add(group);
    return isFirst;
  });
}

/** The next batches, which are sent concurrently. */
function nextBatches<Entry>(pending: readonly Pending<Entry>[]): readonly Pending<Entry>[][] {
  const batches: Pending<Entry>[][] = [];
  let batch: Pending<Entry>[] = [];
  let bytes = 0;
  for (const one of firstOfGroups(pending)) {
    bytes += one.task.bytes;
    if (batches.length === 0 || batch.length === MAX_ENTRIES || bytes > MAX_MESSAGE_BYTES) {
      if (batches.length === MAX_PARALLEL_BATCHES) break;
      batch = [];
      bytes = one.task.bytes;
      batches.push(batch);
    }
    batch.push(one);
  }
  return batches;
}

interface Outcome<Entry> {
  readonly one: Pending<Entry>;
  readonly failure: SqsFailure | undefined;
}

async function sendBatches<Entry>(
  batches: readonly Pending<Entry>[][],
  rules: BatchRules<Entry>,
): Promise<readonly Outcome<Entry>[]> {
  const sending = batches.map(async (batch) => {
    const failures = await rules.send(batch.map(({ task }) => task.entry));
    return batch.map((one, index) => ({ one, failure: failures[index] }));
  });
  // When the caller learns of a failure and perhaps sends again, no batch may still be in progress.
  await Promise.allSettled(sending);
  return (await Promise.all(sending)).flat();
}

/** The tasks to retry, each with one more failure. */
function failedAgain<Entry>(
  outcomes: readonly Outcome<Entry>[],
  rules: BatchRules<Entry>,
): readonly Pending<Entry>[] {
  return outcomes.flatMap(({ one, failure }) => {
    if (failure === undefined || rules.settles(failure, one.task)) return [];
    const failures = one.failures + 1;
    if (failures === MAX_ATTEMPTS) throw rules.exhausted(failure);
    return [{ ...one, failures }];
  });
}

/**
 * Does tasks, in as few batches as their order allows. Retries tasks that fail after a wait.
 *
 * @throws the errors of the rules; then it is unknown which tasks are done.
 */
export async function runBatches<Entry>(
  tasks: readonly Task<Entry>[],
  rules: BatchRules<Entry>,
): Promise<void> {
  let pending: readonly Pending<Entry>[] = tasks.map((task) => ({ task, failures: 0 }));
  while (pending.length > 0) {
    const outcomes = await sendBatches(nextBatches(pending), rules);
    const sent = new Set(outcomes.map(({ one }) => one));
    const failed = failedAgain(outcomes, rules);
    // Before the rest, because they come first in their groups.
    pending = [...failed, ...pending.filter((one) => !sent.has(one))];
    if (failed.length > 0) await rules.backOff(Math.max(...failed.map(({ failures }) => failures)));
  }
}
