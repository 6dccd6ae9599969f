import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';

/** A condition as kstatus reads it. An absent value is empty. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An object with the fields that every rule reads. */
export interface ObservedObject {
  readonly object: JsonObject;
  /** `status.conditions`, in their order. */
  readonly conditions: readonly ObservedCondition[];
  /** The current time in milliseconds since the epoch. */
  readonly nowMs: number;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** `status.conditions`. An absent list is empty. undefined if it is not a list. */
export function conditionsOf(object: JsonObject): readonly ObservedCondition[] | undefined {
  const conditions = at(object, 'status', 'conditions') ?? [];
  if (!isArray(conditions)) return undefined;
  return conditions.map((entry) => ({
    type: textOf(member(entry, 'type')),
    status: textOf(member(entry, 'status')),
    reason: textOf(member(entry, 'reason')),
    message: textOf(member(entry, 'message')),
  }));
}

/** Whether a condition of a type has a status. */
export function has(
  conditions: readonly ObservedCondition[],
  type: string,
  status: string,
): boolean {
  return conditions.some((entry) => entry.type === type && entry.status === status);
}

/** The integer at the end of a path of member names joined by dots, or the default. */
export function integerAt(object: JsonObject, path: string, fallback: number): number {
  const found = at(object, ...path.split('.'));
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : fallback;
}

/** The text at the end of a path of member names joined by dots, or the default. */
export function textAt(object: JsonObject, path: string, fallback = ''): string {
  const found = at(object, ...path.split('.'));
  return typeof found === 'string' ? found : fallback;
}
