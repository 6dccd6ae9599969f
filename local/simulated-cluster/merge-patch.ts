import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';

/** Applies a JSON merge patch (RFC 7396): `null` removes a member, a list replaces a list. */
export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const result: Record<string, JsonValue> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = applyMergePatch(member(target, key), value);
  }
  return result satisfies JsonObject;
}
