import { objectsAt } from '#shared/core/fleet-object.ts';
import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';

/** The wanted content of a condition. */
export interface ConditionChange {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** If it is missing or empty, the condition has no reason. */
  readonly reason?: string;
  /** If it is missing or empty, the condition has no message. */
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
 * Returns the first condition of a type. Ignores entries that are not objects, and a value that is not a list.
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
 * Returns the conditions of a status with one of them set, by the rules of Fleet's GenericCondition (rancher/fleet,
 * `internal/cmd/agent/deployer/monitor/condition.go`). `lastUpdateTime` only changes with the status or the message, and
 * `lastTransitionTime` never changes. A condition keeps its position. A new condition is added at the end and begins as Unknown
 * without a message, so a change to exactly that sets no time. If several conditions have the type, the first is set.
 *
 * @param conditions `.status.conditions`; entries that are not objects are dropped
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
