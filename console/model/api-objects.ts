import type { Explanation } from '#shared/core/explanation/explanation.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { WecGeneration, WecState } from '#shared/core/status-api/wec-status.ts';

/** The metadata of every object of the API. */
export interface Metadata {
  readonly name: string;
  /** Absent for an object without a namespace. */
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** An object of the API. */
export interface ApiObject {
  readonly metadata: Metadata;
}

/** An Explanation or a ClusterExplanation, as the API answers. */
export type ExplanationObject = Omit<Explanation, 'metadata'> & ApiObject;

/** A WECStatus or a ClusterWECStatus, as the API answers (docs/api.md, "wecstatuses"). */
export interface WecStatusObject extends ApiObject {
  readonly workload: Explanation['workload'];
  readonly wec: string;
  readonly state: WecState;
  readonly lastContact?: string;
  readonly lastUpdate?: string;
  readonly generation: WecGeneration;
  readonly health?: ArgoCdVerdict;
  readonly bindings: readonly string[];
  readonly status?: JsonValue;
}

/** A WEC, as the API answers (docs/api.md, "wecs"). */
export interface WecObject extends ApiObject {
  readonly lastContact?: string;
  readonly silentSince?: string;
  readonly objects?: number;
  readonly unhealthyObjects?: number;
  readonly forwarderVersion?: string;
}
