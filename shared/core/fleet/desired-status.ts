import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { type ConditionChange, setCondition } from './condition.ts';
import { boundedMessage } from './text.ts';

/** What Starfold wants of the status of one of Fleet's objects; whatever else stands there is kept. */
export interface DesiredStatus {
  /** Fields that are to have a value. */
  readonly fields: JsonObject;
  /** Fields that are to be absent. */
  readonly absent: readonly string[];
  readonly conditions: readonly ConditionChange[];
}

/**
 * The whole status, from what stands there and what is wanted.
 *
 * @param stored `.status` as it is
 * @param now RFC 3339: when conditions that change were changed
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

/** Ready, where a message says what is not (Fleet, Status Fields, "Ready Condition"). */
export function readyCondition(message: string): ConditionChange {
  return { type: 'Ready', status: message === '' ? 'True' : 'False', message };
}

/** A condition of an error: False, with its text (Fleet's code, `SetError`). */
export function errorCondition(type: string, message: string): ConditionChange {
  return { type, status: 'False', reason: 'Error', message };
}

/** Members that say something: no empty text, nothing false. */
export function saying(values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const said: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '' && value !== false) said[name] = value;
  return said;
}
