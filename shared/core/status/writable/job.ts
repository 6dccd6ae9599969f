import { countAt } from '#shared/core/health/count-at.ts';
import { at, equalJson, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { conditionsOf, isFinishedBy } from '#shared/core/status/job-conditions.ts';
import { conditionsStay } from '#shared/core/status/messages.ts';
import { writableConditions } from './job-conditions.ts';
import { writableIndexes } from './job-indexes.ts';
import { writableTimes } from './job-times.ts';
import type { Changes, StatusWrite, WritableStatus } from './status-write.ts';
import { withChanges } from './status-write.ts';

/** The higher one of the stored and the desired counter. If they are equal, the desired value is returned as it is. */
function notBelow({ desired, stored }: StatusWrite, field: string): JsonValue | undefined {
  const least = countAt(stored, field);
  return countAt(desired, field) < least ? least : desired[field];
}

/** If an Indexed Job is made smaller, the removed pods no longer count as succeeded. */
function mayLoseSucceeded(spec: JsonObject): boolean {
  const { completionMode, completions, parallelism } = spec;
  return completionMode === 'Indexed' && completions === parallelism;
}

function hasPods(uncounted: JsonValue | undefined): boolean {
  return ['succeeded', 'failed'].some((field) => {
    const uids = at(uncounted, field);
    return isArray(uids) && uids.length > 0;
  });
}

/** A finished Job has no pods that run, terminate or wait to be counted. Stored ones may stay. */
function podsOf({ desired, stored }: StatusWrite, conditions: readonly JsonObject[]): Changes {
  if (!isFinishedBy(conditions)) return {};
  const wasFinished = isFinishedBy(conditionsOf(stored));
  const none = (field: string, isNone: boolean, otherwise?: JsonValue) => {
    const mayStay = isNone || (wasFinished && equalJson(desired[field], stored[field]));
    return { [field]: mayStay ? desired[field] : otherwise };
  };
  return {
    ...none('active', countAt(desired, 'active') === 0),
    ...none('terminating', countAt(desired, 'terminating') === 0, 0),
    ...none('uncountedTerminatedPods', !hasPods(desired['uncountedTerminatedPods'])),
  };
}

function readyOf({ desired, stored }: StatusWrite, active: number): JsonValue | undefined {
  const { ready } = desired;
  const isChanged =
    (ready ?? null) !== (stored['ready'] ?? null) || active !== countAt(stored, 'active');
  return isChanged && countAt(desired, 'ready') > active ? active : ready;
}

/**
 * The part of the desired status of a Job that can be written over the stored one (Kubernetes 1.31 to 1.36 with
 * JobManagedBy, ValidateJobUpdateStatus; the stricter of two versions). A Job that has succeeded or failed stays so,
 * `succeeded` and `failed` never decrease, times do not change once written, and a finished Job has no pods. Only
 * conditions that must stay are reported as a problem. See `writableConditions`, `writableTimes`, `writableIndexes`.
 */
export function keepJobProgress(write: StatusWrite): WritableStatus {
  const { spec, desired, stored } = write;
  const indexes = writableIndexes(write);
  const demandsTarget = (indexes['failedIndexes'] ?? null) !== (stored['failedIndexes'] ?? null);
  const { conditions, kept } = writableConditions(write, demandsTarget);
  const pods = podsOf(write, conditions);
  const active = countAt(withChanges(desired, pods), 'active');
  const status = withChanges(desired, {
    ...indexes,
    ...writableTimes(write, conditions),
    ...pods,
    ready: readyOf(write, active),
    failed: notBelow(write, 'failed'),
    succeeded: mayLoseSucceeded(spec) ? desired['succeeded'] : notBelow(write, 'succeeded'),
    conditions: equalJson(conditions, desired['conditions'] ?? [])
      ? desired['conditions']
      : conditions,
  });
  return kept.length === 0 ? { status } : { status, problem: conditionsStay(kept.join(', ')) };
}
