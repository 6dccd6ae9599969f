import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** The last report of one WEC on one workload object. Rows are stored and folded. */
export interface WecRow {
  /** Name of the WEC (its inventory name). */
  readonly wec: string;
  /** UID of the WEC's object. */
  readonly uid: string;
  /** `metadata.generation` of the WEC's object. 0 if its kind has none. */
  readonly generation: number;
  /**
   * `metadata.generation` of the WDS object from which the WEC's object was made: the annotation
   * `starfold.dev/source-generation` on the WEC's object. Absent if the annotation is missing.
   */
  readonly sourceGeneration?: number;
  /**
   * UID of the WDS object from which the WEC's object was made: the annotation `starfold.dev/source-uid` on the WEC's
   * object, or the name of the ManifestWork that owns it. Absent if there is neither.
   */
  readonly sourceUid?: string;
  /** `metadata.creationTimestamp` of the WEC's object, RFC 3339. Absent if it is not known. */
  readonly created?: string;
  /** Content hash of the `spec` of the WEC's object. Absent if the object has no spec. */
  readonly specHash?: string;
  /** Whether another manager owns `spec.replicas` through the scale subresource (an autoscaler in the WEC). */
  readonly replicasFromScale?: boolean;
  /** Whether the WEC's object has a `deletionTimestamp`. */
  readonly deleting?: boolean;
  /** Newest time of a managedFields entry that owns `f:status`, RFC 3339. Absent before the first status. */
  readonly lastUpdate?: string;
  /** `.status` as returned. Absent if the object has none. */
  readonly status?: JsonValue;
}

/**
 * The workload object as it is in the WDS, without `.status` and `managedFields`. Expressions call it `obj`, and the
 * rules of multi-WEC status compare with it.
 */
export interface WorkloadObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

/**
 * One row of the PerWEC table: a destination of a Binding, with what its WEC returned. If a WEC has returned nothing,
 * or its object is gone, there is no `row`, but the WEC counts (docs/architecture.md, section 9.3).
 */
export interface PerWecRow {
  readonly wec: string;
  readonly row?: WecRow;
  /** The length in bytes of a returned status that was too large to keep. If it is set, the row has no status. */
  readonly oversizedBytes?: number;
  /**
   * What the WEC reported last, if that does not count because the WEC has been silent for too long. The census reads it, and
   * `propagation.silent` is then true.
   */
  readonly uncounted?: Pick<PerWecRow, 'row' | 'oversizedBytes' | 'wec'>;
}
