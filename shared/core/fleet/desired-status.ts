import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { type ConditionChange, setCondition } from './condition.ts';
import { boundedMessage } from './text.ts';

/** The parts of an object's status that Starfold owns. Everything else in the status is kept. */
export interface DesiredStatus {
  /** Fields that must have a value. */
  readonly fields: JsonObject;
  /** Fields that must be absent unless `fields` has them. */
  readonly absent: readonly string[];
  readonly conditions: readonly ConditionChange[];
}

/**
 * Returns the whole new status.
 *
 * @param stored the current `.status`
 * @param now RFC 3339: the time of change of the conditions that change
 */
export function statusWith(
  stored: JsonValue | undefined,
  { fields, absent, conditions }: DesiredStatus,
  now: string,
): JsonObject {
  const before = isObject(stored) ? stored : {};
  const kept = Object.entries(before).filter(([field]) => !absent.includes(field));
  let list = member(before, 'conditions');
  for (const change of conditions)
    list = setCondition(list, { ...change, message: boundedMessage(change.message ?? '') }, now);
  return {
    ...Object.fromEntries(kept),
    ...fields,
    ...(list === undefined ? {} : { conditions: list }),
  };
}

/** The condition Ready. If there is a message, it is False (Fleet, Status Fields, "Ready Condition"). */
export function readyCondition(message: string): ConditionChange {
  return { type: 'Ready', status: message === '' ? 'True' : 'False', message };
}

/** The condition of an error: False, with the reason Error and the text (Fleet's code, `SetError`). */
export function errorCondition(type: string, message: string): ConditionChange {
  return { type, status: 'False', reason: 'Error', message };
}

/** Returns the members that are not undefined, false or an empty text. */
export function saying(values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const present: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '' && value !== false) present[name] = value;
  return present;
}
