import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';
import type { WecStatusRef, WorkloadName } from './status-name.ts';

/** See {@link WecState}. */
export const WEC_STATES = ['Silent', 'TooLarge', 'Missing', 'NotReported', 'Reported'] as const;

/**
 * What is known of a WEC's report about a workload object. If several apply, the first one in this order counts:
 * - `Silent`: the WEC has sent no heartbeat for longer than its limit; what it reported last may no longer be true.
 * - `TooLarge`: the WEC reported a status that is too large to keep.
 * - `Missing`: the WEC reported that it does not have the object any more.
 * - `NotReported`: the WEC has not reported the object.
 * - `Reported`: the WEC reported the object.
 */
export type WecState = (typeof WEC_STATES)[number];

/** What one WEC reports of one workload object (kind WECStatus). */
export interface WecStatus extends WecStatusRef {
  /** `''` if it is not known. */
  readonly kind: string;
  /** When the object was created in the WDS, RFC 3339. Absent if it is not known. */
  readonly created?: string;
  /** The labels of the object in the WDS. */
  readonly ownLabels: Labels;
  readonly state: WecState;
  /** When the WEC last sent a heartbeat, RFC 3339. Absent if it never has. */
  readonly lastContact?: string;
  /** When the status in the WEC last changed, RFC 3339, as the WEC says. */
  readonly lastUpdate?: string;
  readonly generation: WecGeneration;
  /** Argo CD's verdict on the WEC's object. Absent if Argo CD has no rule for the kind. */
  readonly health?: ArgoCdVerdict;
  /** How much of the object is ready, such as `2/3`. Absent if its kind does not say. */
  readonly ready?: string;
  /** Names of the Bindings that send the object to the WEC, sorted. */
  readonly bindings: readonly string[];
  /** `.status` as the WEC says it. Absent if it has none, or if it is too large to keep. */
  readonly status?: JsonValue;
}

/** Generations of the WEC's object. Each is absent if it is not known. */
export interface WecGeneration {
  /** `metadata.generation` in the WEC. */
  readonly wec?: number;
  /** `metadata.generation` of the WDS object from which the WEC's object was made. */
  readonly source?: number;
  /** `status.observedGeneration` in the WEC. */
  readonly observed?: number;
}

/** A workload object that a Binding names, and what the WDS says of it. */
export interface BoundWorkload {
  readonly workload: WorkloadName;
  /** `''` if it is not known. */
  readonly kind: string;
  /** When the object was created in the WDS, RFC 3339. Absent if it is not known. */
  readonly created?: string;
  /** The labels of the object in the WDS. */
  readonly ownLabels: Labels;
}

/** One WEC (kind WEC). */
export interface Wec {
  readonly name: string;
  /** The labels of its inventory object. Empty if there is none. */
  readonly ownLabels: Labels;
  /** When it last sent a heartbeat, RFC 3339. Absent if it never has. */
  readonly lastContact?: string;
  /** Since when it is silent, RFC 3339. Absent if it is not. */
  readonly silentSince?: string;
  /** How many workload objects are sent to it. Absent if it is not counted. */
  readonly objects?: number;
  /** How many of them are not Healthy. Absent if it is not counted. */
  readonly unhealthyObjects?: number;
  /** The version of its forwarder. Absent if it is not known. */
  readonly forwarderVersion?: string;
}
