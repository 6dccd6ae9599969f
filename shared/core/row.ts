import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** What one WEC last said about one workload object; the unit that is stored and folded. */
export interface WecRow {
  /** Name of the WEC (its inventory name). */
  readonly wec: string;
  /** UID of the WEC's object. */
  readonly uid: string;
  /** `metadata.generation` of the WEC's object; 0 where its kind has none. */
  readonly generation: number;
  /**
   * `metadata.generation` of the WDS object that the WEC's object was made from: the annotation
   * `starfold.dev/source-generation` on the WEC's object. Absent where the annotation is.
   */
  readonly sourceGeneration?: number;
  /**
   * UID of the WDS object that the WEC's object was made from: the annotation `starfold.dev/source-uid` on the WEC's
   * object, or the name of the ManifestWork that owns it. Absent where neither says so.
   */
  readonly sourceUid?: string;
  /** `metadata.creationTimestamp` of the WEC's object, RFC 3339; absent where it is not known. */
  readonly created?: string;
  /** Content hash of the WEC object's `spec`; absent for an object without one. */
  readonly specHash?: string;
  /** Whether another manager owns `spec.replicas` through the scale subresource (an autoscaler in the WEC). */
  readonly replicasFromScale?: boolean;
  /** Whether the WEC's object carries a `deletionTimestamp`. */
  readonly deleting?: boolean;
  /** Newest time of a managedFields entry that owns `f:status`, RFC 3339; absent before the first status. */
  readonly lastUpdate?: string;
  /** `.status` as returned; absent where the object has none. */
  readonly status?: JsonValue;
}

/**
 * The workload object as it stands in the WDS, without `.status` and `managedFields`: what expressions call `obj` and
 * what the rules of multi-WEC status compare with.
 */
export interface WorkloadObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

/**
 * One row of the PerWEC table: a destination of a Binding, with what its WEC returned. A WEC that has said nothing (or
 * whose object is gone) has no `row`, and counts (docs/architecture.md, section 9.3).
 */
export interface PerWecRow {
  readonly wec: string;
  readonly row?: WecRow;
  /** The returned status was too large to keep: its length in bytes. The row has no status then. */
  readonly oversizedBytes?: number;
}
