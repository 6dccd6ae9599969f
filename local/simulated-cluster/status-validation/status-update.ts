import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';

/** A write of `.status`, as the validation of an API server sees it. */
export interface StatusUpdate {
  readonly spec: JsonObject;
  /** The status that stands; `{}` where there is none. */
  readonly old: JsonObject;
  readonly next: JsonObject;
  /** Adds a refusal. */
  refuse(field: string, why: string): void;
}

/** Refuses the write where a rule of a kind says so. */
export type StatusValidation = (update: StatusUpdate) => void;

/** A counter; absent and null are 0. */
export function int(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** A text; absent and null are `''`. */
export function str(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A list's objects; absent and null are empty. */
export function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

/** An object; absent and null are `{}`. */
export function map(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Whether a pointer field is set. */
export function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Refuses fields below zero. */
export function notNegative(update: StatusUpdate, ...fields: readonly string[]): void {
  for (const field of fields)
    if (int(update.next[field]) < 0) update.refuse(field, 'must be greater than or equal to 0');
}
