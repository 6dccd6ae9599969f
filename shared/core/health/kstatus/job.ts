import { at, type JsonObject } from '#shared/core/json.ts';
import {
  integerAt,
  type ObservedCondition,
  type ObservedObject,
  textAt,
} from './observed-object.ts';
import { current, failed, inProgress, type KstatusVerdict } from './verdict.ts';

function wantedOf(object: JsonObject): number {
  return integerAt(object, 'spec.completions', integerAt(object, 'spec.parallelism', 1));
}

function endOf(
  object: JsonObject,
  { type, status }: ObservedCondition,
): KstatusVerdict | undefined {
  if (status !== 'True') return undefined;
  switch (type) {
    case 'Complete': {
      const succeeded = integerAt(object, 'status.succeeded', 0);
      return current(`Job Completed. succeeded: ${succeeded}/${wantedOf(object)}`);
    }
    case 'Failed': {
      const failures = integerAt(object, 'status.failed', 0);
      return failed('JobFailed', `Job Failed. failed: ${failures}/${wantedOf(object)}`);
    }
    case 'Suspended':
      // A Job that is about to be resumed still has the condition.
      return at(object, 'spec', 'suspend') === true ? current('Job is suspended') : undefined;
    default:
      return undefined;
  }
}

/**
 * The verdict on a Job that has ended or is suspended, from the first condition that reports this. `undefined` if no
 * condition does.
 */
export function endedVerdict({
  object,
  conditions,
}: Omit<ObservedObject, 'nowMs'>): KstatusVerdict | undefined {
  for (const entry of conditions) {
    const verdict = endOf(object, entry);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** kstatus of a Job (cli-utils, `jobConditions`, with cli-utils#668). A running Job is Current. */
export function jobKstatus({ object, conditions }: ObservedObject): KstatusVerdict {
  const ended = endedVerdict({ object, conditions });
  if (ended !== undefined) return ended;
  if (textAt(object, 'status.startTime') === '')
    return inProgress('JobNotStarted', 'Job not started');
  const [succeeded, active, failures] = ['succeeded', 'active', 'failed'].map((counter) =>
    integerAt(object, `status.${counter}`, 0),
  );
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
}
