import { isArray, type JsonValue } from '#shared/core/json.ts';

const YES = /^(?:true|t|yes|y)$/i;

/**
 * A value as text, as Fleet reads fields of kinds that it does not know (`data/convert`): trimmed; of a list its first
 * entry. `''` for everything that is neither text, a number nor a boolean.
 */
export function looseText(value: JsonValue | undefined): string {
  const single = isArray(value) ? value[0] : value;
  if (typeof single === 'string') return single.trim();
  return ['boolean', 'number', 'bigint'].includes(typeof single) ? String(single) : '';
}

/** A value as a boolean, as Fleet reads it: `true`, `"true"`, `"t"`, `"yes"` and `"y"` are true, in either case. */
export function looseBoolean(value: JsonValue | undefined): boolean {
  return YES.test(looseText(value));
}
