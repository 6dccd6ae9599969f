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
