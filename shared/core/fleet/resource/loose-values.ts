import { isArray, type JsonValue } from '#shared/core/json.ts';

const YES = /^(?:true|t|yes|y)$/i;

/**
 * Converts a value to a text, as Fleet does for fields of kinds that it does not know (`data/convert`): trimmed; a list becomes
 * its first entry. Returns `''` if the value is not a text, number or boolean.
 */
export function looseText(value: JsonValue | undefined): string {
  const single = isArray(value) ? value[0] : value;
  if (typeof single === 'string') return single.trim();
  return ['boolean', 'number', 'bigint'].includes(typeof single) ? String(single) : '';
}

/**
 * Converts a value to a boolean, as Fleet does: `true`, `"true"`, `"t"`, `"yes"` and `"y"` are true, in upper or lower case.
 */
export function looseBoolean(value: JsonValue | undefined): boolean {
  return YES.test(looseText(value));
}
