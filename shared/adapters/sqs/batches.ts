import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import type { SqsFailure } from './failure.ts';

/** Something to be done by an entry of a batch. */
export interface Task<Entry> {
  readonly entry: Entry;
  /** What it counts for in {@link MAX_MESSAGE_BYTES}, SQS's limit for a batch as for a message. */
  readonly bytes: number;
  /** Tasks of one group are done in order. */
  readonly group: string | undefined;
}

/** How batches are sent, and what follows from failures. */
export interface BatchRules<Entry> {
  /** Sends one batch. For each entry, in order, why it was not done, or undefined. */
  send(entries: readonly Entry[]): Promise<readonly (SqsFailure | undefined)[]>;
  /** True for a failure that is as good as success, false for one to try again; throws for all others. */
  settles(failure: SqsFailure, task: Task<Entry>): boolean;
  /** The error for a task that kept failing. */
  exhausted(failure: SqsFailure): Error;
  /** Waits before tasks that have failed so many times are tried again. */
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
 * Of each group the first task alone. Two of a group must not be under way at once, not even in one batch: the first
 * might fail and the second not.
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

/** The next batches, to be sent side by side. */
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
  // None must be under way when the caller learns of a failure and perhaps sends again.
  await Promise.allSettled(sending);
  return (await Promise.all(sending)).flat();
}

/** Those of the tasks sent that are to be tried again, with one failure more. */
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
 * Does tasks, in as few batches as their order allows, those that fail again after a wait.
 *
 * @throws what the rules throw; what is done and what is not is unknown then.
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
    // In front of the rest: they come first in their groups.
    pending = [...failed, ...pending.filter((one) => !sent.has(one))];
    if (failed.length > 0) await rules.backOff(Math.max(...failed.map(({ failures }) => failures)));
  }
}
