import { Float, type JsonValue, member } from '#shared/core/json.ts';
import { shortText } from './shown-text.ts';

const MAX_CHARACTERS = 100_000;

/** JSON.stringify has no form for integers beyond 2^53: they become texts. */
function plain(_key: string, value: JsonValue): JsonValue {
  if (value instanceof Float) return value.value;
  return typeof value === 'bigint' ? String(value) : value;
}

/** A member of an object as indented JSON, to be read by people. */
export function prettyJson(object: JsonValue, name: string): string {
  const value = member(object, name);
  if (value === undefined) return 'There is no status.';
  return shortText(JSON.stringify(value, plain, 2), MAX_CHARACTERS);
}
