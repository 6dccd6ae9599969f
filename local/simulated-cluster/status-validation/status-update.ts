import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';

/** A write of `.status`, as the validation of an API server sees it. */
export interface StatusUpdate {
  readonly spec: JsonObject;
  /** The present status, or `{}` if there is none. */
  readonly old: JsonObject;
  readonly next: JsonObject;
  /** Adds a rejection. */
  refuse(field: string, why: string): void;
}

/** Rejects the write if a rule of the kind requires it. */
export type StatusValidation = (update: StatusUpdate) => void;

/** A counter. Absent and null are 0. */
export function int(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** A text. Absent and null are `''`. */
export function str(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of a list. Absent and null are empty. */
export function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

/** An object. Absent and null are `{}`. */
export function map(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Whether a pointer field is set. */
export function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Rejects fields below zero. */
export function notNegative(update: StatusUpdate, ...fields: readonly string[]): void {
  for (const field of fields)
    if (int(update.next[field]) < 0) update.refuse(field, 'must be greater than or equal to 0');
}
