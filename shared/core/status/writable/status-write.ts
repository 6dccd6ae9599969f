import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** A status to be written, and the status that it replaces. */
export interface StatusWrite {
  /** The object as it is in the WDS. */
  readonly workload: JsonObject;
  /** Its `.spec`, or `{}` if it has none. */
  readonly spec: JsonObject;
  /** The present `.status`, or `{}` if there is none. */
  readonly stored: JsonObject;
  /** The desired `.status`. */
  readonly desired: JsonObject;
}

/** What can be written instead of a desired status. */
export interface WritableStatus {
  /** The desired status itself if it can be written. */
  readonly status: JsonObject;
  /**
   * Set if the stored content forces a status with another meaning than the desired one: the field, why it stays, and
   * the remedy. Absent if only bookkeeping differs.
   */
  readonly problem?: string;
}

/** Makes the desired status of the objects of a kind writable. */
export type MakeWritable = (write: StatusWrite) => WritableStatus;

/** New values of some members. undefined removes a member. */
export type Changes = Readonly<Record<string, JsonValue | undefined>>;

/** An object with some members changed. If no member changes, the same object is returned. */
export function withChanges(object: JsonObject, changes: Changes): JsonObject {
  const differing = Object.keys(changes).filter((key) => changes[key] !== object[key]);
  if (differing.length === 0) return object;
  const kept = Object.entries(object).filter(([key]) => !differing.includes(key));
  const set = differing.flatMap((key): [string, JsonValue][] => {
    const value = changes[key];
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries([...kept, ...set]);
}
