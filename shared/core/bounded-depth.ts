import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';

/** The maximum nesting of a status, or of another field of a WEC's object. Values are read and merged recursively. */
export const MAX_NESTING = 500;

/** The additional nesting in a WDS: a CombinedStatus contains a status within structures of Starfold and of expressions. */
export const MAX_NESTING_AROUND = 100;

/** One more than any receiver accepts, so that the receiver detects and reports that the object is nested too deeply. */
const MAX_LEVELS = MAX_NESTING + MAX_NESTING_AROUND + 1;

type Container = JsonObject | readonly JsonValue[];

function containersIn(value: Container): readonly Container[] {
  const members = isArray(value) ? value : Object.values(value);
  return members.filter((member): member is Container => isArray(member) || isObject(member));
}

/** Whether there are lists or objects below this number of levels. Not recursive. */
function isDeeper(value: JsonObject, levels: number): boolean {
  let level: readonly Container[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(containersIn);
  }
  return false;
}

function cut(value: JsonValue, levels: number): JsonValue {
  if (!isArray(value) && !isObject(value)) return value;
  if (levels === 0) return null;
  if (isArray(value)) return value.map((element) => cut(element, levels - 1));
  return cutMembers(value, levels);
}

function cutMembers(object: JsonObject, levels: number): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [key, cut(member, levels - 1)]),
  );
}

/**
 * Returns the object as it is. If it is nested so deeply that no receiver accepts it, returns it without the content below that
 * level. Encoders of JSON recurse, so one deep object of a kind would prevent the reports of all others. API servers accept
 * 10,000 levels (Go, `encoding/json`).
 */
export function withBoundedDepth(object: JsonObject): JsonObject {
  // The object itself is the first level.
  return isDeeper(object, MAX_LEVELS + 1) ? cutMembers(object, MAX_LEVELS + 2) : object;
}
