import { compareText } from '#shared/core/collector/first-entries.ts';
import {
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { type ConditionChange, findCondition } from './condition.ts';
import { type DesiredStatus, saying } from './desired-status.ts';
import { boundedMessage, cutText } from './text.ts';

/** A value of a status that differs from the desired one. */
export interface StatusDifference {
  /** Its path: `status.summary.ready`, `status.resources[2].state`, `status.conditions[Ready].message`. */
  readonly field: string;
  /** The current value, as a JSON text of at most 200 characters, or `null` if there is none. */
  readonly fleet: string | null;
  /** The desired value, in the same form. */
  readonly starfold: string | null;
}

/** The differences between a status and the desired status. */
export interface StatusDifferences {
  /** The first 50, sorted by field. */
  readonly differences: readonly StatusDifference[];
  /** The number of all differences. */
  readonly total: number;
}

interface Found {
  readonly field: string;
  readonly stored: JsonValue | undefined;
  readonly desired: JsonValue | undefined;
}

const MAX_DIFFERENCES = 50;
const MAX_VALUE_CHARACTERS = 200;
const PLAIN_NAME = /^\w+$/;

/** Whether an API server drops this value (`omitempty` in Go), or only keeps its braces. */
function saysNothing(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(saysNothing);
  return !value;
}

function memberPath(path: string, name: string): string {
  return PLAIN_NAME.test(name) ? `${path}.${name}` : `${path}[${name}]`;
}

/** An API server does not drop elements of a list, even if they are empty. */
function* listDifferences(
  field: string,
  stored: readonly JsonValue[],
  desired: readonly JsonValue[],
): Generator<Found> {
  const both = Math.min(stored.length, desired.length);
  for (let index = 0; index < Math.max(stored.length, desired.length); index += 1) {
    const found = { field: `${field}[${index}]`, stored: stored[index], desired: desired[index] };
    if (index < both) yield* valueDifferences(found);
    else yield found;
  }
}

/** The differences between two values. If both are objects or lists, their members are compared. */
function* valueDifferences(found: Found): Generator<Found> {
  const { field, stored, desired } = found;
  if (isObject(stored) && isObject(desired)) {
    for (const name of new Set([...Object.keys(stored), ...Object.keys(desired)]))
      yield* valueDifferences({
        field: memberPath(field, name),
        stored: member(stored, name),
        desired: member(desired, name),
      });
  } else if (isArray(stored) && isArray(desired)) yield* listDifferences(field, stored, desired);
  else if (saysNothing(stored) && saysNothing(desired)) return;
  else if (!equalJson(stored, desired)) yield found;
}

/** The fields of a condition that are compared. Its times are ignored. */
function conditionText({ status, reason = '', message = '' }: ConditionChange): JsonObject {
  return { ...saying({ reason, message: boundedMessage(message) }), status };
}

function* conditionDifferences(
  conditions: JsonValue | undefined,
  changes: readonly ConditionChange[],
): Generator<Found> {
  // If there are several changes of one condition, the last one counts.
  for (const [type, change] of new Map(changes.map((one) => [one.type, one]))) {
    const found = findCondition(conditions, type);
    const stored =
      found &&
      saying({
        status: member(found, 'status'),
        reason: member(found, 'reason'),
        message: member(found, 'message'),
      });
    const field = `status.conditions[${type}]`;
    yield* valueDifferences({ field, stored, desired: conditionText(change) });
  }
}

function* allDifferences(
  stored: JsonValue | undefined,
  { fields, absent, conditions }: DesiredStatus,
): Generator<Found> {
  for (const name of new Set([...Object.keys(fields), ...absent]))
    yield* valueDifferences({
      field: memberPath('status', name),
      stored: member(stored, name),
      desired: member(fields, name),
    });
  yield* conditionDifferences(member(stored, 'conditions'), conditions);
}

function shown(value: JsonValue | undefined): string | null {
  return value === undefined ? null : cutText(stringifyJson(value), MAX_VALUE_CHARACTERS);
}

/**
 * Compares a status with the desired one, value by value. A value that an API server drops (0, false, `''`, `[]`, `{}`) is
 * equal to a missing one. Times of conditions, and fields for which nothing is desired, are ignored.
 *
 * @param stored the current `.status`
 */
export function statusDifferences(
  stored: JsonValue | undefined,
  desired: DesiredStatus,
): StatusDifferences {
  const found = [...allDifferences(stored, desired)].sort((a, b) => compareText(a.field, b.field));
  const differences = found.slice(0, MAX_DIFFERENCES).map((one) => ({
    field: one.field,
    fleet: shown(one.stored),
    starfold: shown(one.desired),
  }));
  return { differences, total: found.length };
}
