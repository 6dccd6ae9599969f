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

/** A value of a status that is not what it should be. */
export interface StatusDifference {
  /** Its path: `status.summary.ready`, `status.resources[2].state`, `status.conditions[Ready].message`. */
  readonly field: string;
  /** What stands there, as JSON text of at most 200 characters; `null`: nothing. */
  readonly fleet: string | null;
  /** What should stand there, likewise. */
  readonly starfold: string | null;
}

/** How a status differs from what is wanted. */
export interface StatusDifferences {
  /** The first 50, by field. */
  readonly differences: readonly StatusDifference[];
  /** How many there are. */
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

/** Whether an API server drops a value that says this (`omitempty` in Go), or keeps no more of it than its braces. */
function saysNothing(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(saysNothing);
  return !value;
}

function memberPath(path: string, name: string): string {
  return PLAIN_NAME.test(name) ? `${path}.${name}` : `${path}[${name}]`;
}

/** An element is not dropped, whatever it says. */
function* listsApart(
  field: string,
  stored: readonly JsonValue[],
  desired: readonly JsonValue[],
): Generator<Found> {
  const both = Math.min(stored.length, desired.length);
  for (let index = 0; index < Math.max(stored.length, desired.length); index += 1) {
    const found = { field: `${field}[${index}]`, stored: stored[index], desired: desired[index] };
    if (index < both) yield* apart(found);
    else yield found;
  }
}

/** Where two values are apart: in which of their members, where both have members. */
function* apart(found: Found): Generator<Found> {
  const { field, stored, desired } = found;
  if (isObject(stored) && isObject(desired)) {
    for (const name of new Set([...Object.keys(stored), ...Object.keys(desired)]))
      yield* apart({
        field: memberPath(field, name),
        stored: member(stored, name),
        desired: member(desired, name),
      });
  } else if (isArray(stored) && isArray(desired)) yield* listsApart(field, stored, desired);
  else if (saysNothing(stored) && saysNothing(desired)) return;
  else if (!equalJson(stored, desired)) yield found;
}

/** What of a condition counts: when it was said does not. */
function conditionText({ status, reason = '', message = '' }: ConditionChange): JsonObject {
  return { ...saying({ reason, message: boundedMessage(message) }), status };
}

function* conditionsApart(
  conditions: JsonValue | undefined,
  changes: readonly ConditionChange[],
): Generator<Found> {
  // Of several changes of one condition the last one counts.
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
    yield* apart({ field, stored, desired: conditionText(change) });
  }
}

function* statusApart(
  stored: JsonValue | undefined,
  { fields, absent, conditions }: DesiredStatus,
): Generator<Found> {
  for (const name of new Set([...Object.keys(fields), ...absent]))
    yield* apart({
      field: memberPath('status', name),
      stored: member(stored, name),
      desired: member(fields, name),
    });
  yield* conditionsApart(member(stored, 'conditions'), conditions);
}

function shown(value: JsonValue | undefined): string | null {
  return value === undefined ? null : cutText(stringifyJson(value), MAX_VALUE_CHARACTERS);
}

/**
 * Where a status is not what is wanted, value by value. What an API server drops (0, false, `''`, `[]`, `{}`) is equal to
 * nothing at all. Times of conditions, and fields of which nothing is wanted, do not count.
 *
 * @param stored `.status` as it is
 */
export function statusDifferences(
  stored: JsonValue | undefined,
  desired: DesiredStatus,
): StatusDifferences {
  const found = [...statusApart(stored, desired)].sort((a, b) => compareText(a.field, b.field));
  const differences = found.slice(0, MAX_DIFFERENCES).map((one) => ({
    field: one.field,
    fleet: shown(one.stored),
    starfold: shown(one.desired),
  }));
  return { differences, total: found.length };
}
