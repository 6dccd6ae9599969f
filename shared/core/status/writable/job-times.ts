import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { conditionsOf, isFinishedBy, isTrueIn } from '#shared/core/status/job-conditions.ts';
import { compareTimes } from '#shared/core/status/time-order.ts';
import type { Changes, StatusWrite } from './status-write.ts';

type Time = string | undefined;

function timeOf(value: JsonValue | undefined): Time {
  return typeof value === 'string' ? value : undefined;
}

/** When the Job finished, according to the conditions. */
function finishTime(conditions: readonly JsonObject[]): Time {
  const finished = conditions.find((entry) => isFinishedBy([entry]));
  return timeOf(finished?.['lastTransitionTime']);
}

/** A start time for a finished Job that has none. API servers require one, but nothing reads it. */
function assumedStart(write: StatusWrite, conditions: readonly JsonObject[]): Time {
  const { workload, stored, desired } = write;
  return (
    timeOf(stored['startTime']) ??
    timeOf(desired['completionTime']) ??
    timeOf(at(workload, 'metadata', 'creationTimestamp')) ??
    finishTime(conditions)
  );
}

function startTime(write: StatusWrite, conditions: readonly JsonObject[]): Time {
  const { spec, stored, desired } = write;
  const storedStart = timeOf(stored['startTime']);
  const isSuspended = spec['suspend'] === true;
  const start = isSuspended
    ? timeOf(desired['startTime'])
    : (storedStart ?? timeOf(desired['startTime']));
  const wasWithout = storedStart === undefined && isFinishedBy(conditionsOf(stored));
  const mayLack = wasWithout || (isSuspended && spec['completions'] === 0);
  if (start !== undefined || mayLack || !isFinishedBy(conditions)) return start;
  return assumedStart(write, conditions);
}

function completionTime(write: StatusWrite, conditions: readonly JsonObject[], start: Time): Time {
  const storedEnd = timeOf(write.stored['completionTime']);
  const wanted = timeOf(write.desired['completionTime']);
  if (!isTrueIn(conditions, 'Complete')) return wanted === storedEnd ? wanted : undefined;
  const end = storedEnd ?? wanted;
  const wasWithout = isTrueIn(conditionsOf(write.stored), 'Complete');
  return end !== undefined || wasWithout ? end : (finishTime(conditions) ?? start);
}

/**
 * The times of a Job that can be written. `startTime` does not change once written, except while the Job is suspended
 * in the WDS (since Kubernetes 1.35, it may also change while the Job is resumed). `completionTime` does not change,
 * and is only set with Complete=True. A finished Job has a start time, and its end is not before its start.
 */
export function writableTimes(write: StatusWrite, conditions: readonly JsonObject[]): Changes {
  const { stored } = write;
  const start = startTime(write, conditions);
  const end = completionTime(write, conditions, start);
  const isUnchanged =
    start === timeOf(stored['startTime']) && end === timeOf(stored['completionTime']);
  if (start === undefined || end === undefined || isUnchanged || compareTimes(start, end) <= 0)
    return { startTime: start, completionTime: end };
  const endStays = timeOf(stored['completionTime']) !== undefined;
  const both = endStays ? end : start;
  return { startTime: both, completionTime: both };
}
