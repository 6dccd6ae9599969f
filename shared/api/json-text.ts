import { isArray, isObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';

/** Whether the platform's own function writes a value as {@link stringifyJson} does, but for the order of keys. */
function isPlain(value: JsonValue | undefined): boolean {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? !Object.is(value, -0) : !Number.isInteger(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (isArray(value)) return value.every(isPlain);
  return isObject(value) && Object.values(value).every(isPlain);
}

/**
 * Writes a value as JSON without loss. The order of keys is that of the value: an answer need not be the same bytes each time, and
 * sorting takes about four times as long as writing.
 */
export function jsonText(value: JsonValue): string {
  return isPlain(value) ? JSON.stringify(value) : stringifyJson(value);
}
