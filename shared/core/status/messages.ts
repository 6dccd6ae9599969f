// The sentences about aggregated statuses: in their conditions, in explanations, and in `status.errors` of Bindings.

import { type JsonValue, member, stringifyJson } from '#shared/core/json.ts';

/** A value is shown up to this length. */
const MAX_SHOWN = 100;

function shown(value: JsonValue): string {
  const text = stringifyJson(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

function conditionText(entry: JsonValue): string {
  const reason = member(entry, 'reason');
  const why = typeof reason === 'string' ? `, reason ${reason}` : '';
  return `the literal condition is ${String(member(entry, 'status'))}${why}`;
}

/**
 * How a field departs from the proposal, or how what is written departs from what is wanted.
 *
 * @param value what the literal aggregate, or the wanted status, has; undefined if it has no such field
 */
export function departureText(
  kind: 'minimum' | 'condition' | 'desired' | 'other',
  value: JsonValue | undefined,
): string {
  if (kind === 'minimum') return `the literal minimum is ${shown(value ?? 0)}`;
  const what = kind === 'desired' ? 'wanted' : 'literal';
  if (value === undefined) return `the ${what} status has no such field`;
  return kind === 'condition' ? conditionText(value) : `the ${what} value is ${shown(value)}`;
}

/** The message of a condition that is Unknown because some of `rows` WECs do not have it. `names` are the names of WECs. */
export function notReported(lacking: number, rows: number, names: string): string {
  return `No report of this condition from ${lacking} of ${rows} WECs${names === '' ? '' : `: ${names}`}`;
}

/** `conditions` stand in a Job, and its API server accepts no Job without them. */
export function conditionsStay(conditions: string): string {
  return `conditions cannot be withdrawn from a Job in the WDS, whatever its WECs say now: ${conditions}; they stay until the Job is deleted and created again`;
}

/** `containers` of a Pod have ended, and its API server accepts none of them as running again. */
export function containersStay(containers: string): string {
  return `containers that have ended do not run again by the restartPolicy of the Pod in the WDS: ${containers}; their state stays as it is until the Pod is deleted and created again`;
}
