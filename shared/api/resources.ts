import type { ExplainedBound } from '#shared/core/explanation/selectable-explanation.ts';
import type { Wec, WecStatus } from '#shared/core/status-api/wec-status.ts';
import { CLUSTER_EXPLANATIONS, EXPLANATIONS } from './explanations.ts';
import type { ServedResource } from './served-resource.ts';
import { CLUSTER_WEC_STATUSES, WEC_STATUSES } from './wec-statuses.ts';
import { WECS } from './wecs.ts';

/** A resource of the API, with work that is the same for each. */
export interface AnyResource {
  readonly names: ServedResource<unknown>['names'];
  readonly schema: ServedResource<unknown>['schema'];
  /** Calls a function with the resource in its own type. */
  use<R>(work: <T>(served: ServedResource<T>) => R): R;
}

/** A resource with work that is the same for each. */
export function any<T>(served: ServedResource<T>): AnyResource {
  return { names: served.names, schema: served.schema, use: (work) => work(served) };
}

/** The resources that are served, in the order of discovery. */
export const RESOURCES: readonly AnyResource[] = [
  any<WecStatus>(WEC_STATUSES),
  any<WecStatus>(CLUSTER_WEC_STATUSES),
  any<ExplainedBound>(EXPLANATIONS),
  any<ExplainedBound>(CLUSTER_EXPLANATIONS),
  any<Wec>(WECS),
];
