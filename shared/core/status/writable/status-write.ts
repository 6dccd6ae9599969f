import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** A status that is to be written, and what it is to replace. */
export interface StatusWrite {
  /** The object as it stands in the WDS. */
  readonly workload: JsonObject;
  /** Its `.spec`; `{}` where it has none. */
  readonly spec: JsonObject;
  /** The `.status` that stands there; `{}` where there is none. */
  readonly stored: JsonObject;
  /** What `.status` should be. */
  readonly desired: JsonObject;
}

/** What can be written instead of a desired status. */
export interface WritableStatus {
  /** The desired status itself where that can be written. */
  readonly status: JsonObject;
  /**
   * Where the status then says something else than was desired, because of what stands in the object: the field, why it
   * stays, and what a user can do about it. Absent where only bookkeeping differs.
   */
  readonly problem?: string;
}

/** Makes the desired status of the objects of a kind writable. */
export type MakeWritable = (write: StatusWrite) => WritableStatus;

/** New values of some members; undefined removes one. */
export type Changes = Readonly<Record<string, JsonValue | undefined>>;

/** An object with some members changed; the object itself where they are as they should be. */
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
