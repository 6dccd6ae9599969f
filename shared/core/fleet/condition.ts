import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { objectsAt } from './fleet-object.ts';

/** What a condition is to say. */
export interface ConditionChange {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** Absent or empty: the condition has no reason. */
  readonly reason?: string;
  /** Absent or empty: the condition has no message. */
  readonly message?: string;
}

function written(found: JsonObject, change: ConditionChange, now: string): JsonObject {
  const { type, status, reason = '', message = '' } = change;
  const { reason: _reason, message: _message, ...kept } = found;
  const isSame = member(found, 'status') === status && (member(found, 'message') ?? '') === message;
  return {
    ...kept,
    type,
    status,
    ...(isSame ? {} : { lastUpdateTime: now }),
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
  };
}

/**
 * The first condition of a type. What is no list holds none, and entries that are no objects are skipped.
 *
 * @param conditions `.status.conditions`
 */
export function findCondition(
  conditions: JsonValue | undefined,
  type: string,
): JsonObject | undefined {
  return objectsAt(conditions).find((entry) => member(entry, 'type') === type);
}

/**
 * The conditions of a status with one of them set, by the rules of Fleet's GenericCondition (rancher/fleet,
 * `internal/cmd/agent/deployer/monitor/condition.go`). `lastUpdateTime` changes only with the status or the message, and
 * `lastTransitionTime` never. A condition keeps its place; a new one comes last and begins as Unknown without a message,
 * so setting it to just that gives it no time. Of several with the type the first is set.
 *
 * @param conditions `.status.conditions`; entries that are no objects are dropped
 * @param now the current time, RFC 3339 with seconds
 */
export function setCondition(
  conditions: JsonValue | undefined,
  change: ConditionChange,
  now: string,
): readonly JsonObject[] {
  const entries = objectsAt(conditions);
  const found = findCondition(conditions, change.type);
  return found === undefined
    ? [...entries, written({ status: 'Unknown' }, change, now)]
    : entries.map((entry) => (entry === found ? written(entry, change, now) : entry));
}
