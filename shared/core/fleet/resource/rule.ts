import type { KstatusVerdict } from '#shared/core/health/kstatus/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { ObservedCondition } from './observed-conditions.ts';
import type { ResourceSummary } from './summary.ts';

/** A resource with what the rules read of it. */
export interface ObservedResource {
  readonly object: JsonObject;
  readonly conditions: readonly ObservedCondition[];
  readonly kstatus: KstatusVerdict;
}

/** One of Fleet's summarizers: what it makes of the summary of those before it. */
export type Rule = (observed: ObservedResource, summary: ResourceSummary) => ResourceSummary;

/** A summary with something changed, and a message added to those that it has. */
export function changed(
  summary: ResourceSummary,
  { message, ...change }: Partial<Omit<ResourceSummary, 'message'>> & { readonly message: string },
): ResourceSummary {
  return { ...summary, ...change, message: [...summary.message, message] };
}
