import type { ObservedCondition } from '#shared/core/health/kstatus/observed-object.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '#shared/core/json.ts';
import { looseText } from './loose-values.ts';

/** Where Rancher keeps the conditions of kinds that have none, namespaces above all. */
const STATUS_ANNOTATION = 'cattle.io/status';

function parsedOrNull(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function listOf(conditions: JsonValue | undefined): readonly JsonValue[] {
  return isArray(conditions) ? conditions : [];
}

/** The conditions of a resource: `.status.conditions`, then those in Rancher's annotation (Fleet's code, `getRawConditions`). */
export function conditionsOf(object: JsonObject): readonly ObservedCondition[] {
  const annotation = looseText(at(object, 'metadata', 'annotations', STATUS_ANNOTATION));
  const annotated = member(annotation === '' ? null : parsedOrNull(annotation), 'conditions');
  return [...listOf(at(object, 'status', 'conditions')), ...listOf(annotated)].map((entry) => ({
    type: looseText(member(entry, 'type')),
    status: looseText(member(entry, 'status')),
    reason: looseText(member(entry, 'reason')),
    message: looseText(member(entry, 'message')),
  }));
}

/**
 * An object without the conditions to ignore, which hide them from kstatus as well (Fleet's code,
 * `excludeIgnoredConditions`). All members of an entry must be in a condition, so an empty entry hides every condition.
 *
 * @param ignored `spec.options.ignore.conditions`
 */
export function withoutIgnored(object: JsonObject, ignored: readonly JsonObject[]): JsonObject {
  const status = member(object, 'status');
  const conditions = member(status, 'conditions');
  if (ignored.length === 0 || !isObject(status) || !isArray(conditions)) return object;
  const isIgnored = (condition: JsonValue): boolean =>
    isObject(condition) &&
    ignored.some((entry) =>
      Object.entries(entry).every(([key, value]) => member(condition, key) === value),
    );
  const counted = conditions.filter((condition) => !isIgnored(condition));
  return { ...object, status: { ...status, conditions: counted } };
}
