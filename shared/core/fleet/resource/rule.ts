import type { ObservedCondition } from '#shared/core/health/kstatus/observed-object.ts';
import type { KstatusVerdict } from '#shared/core/health/kstatus/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** What Fleet says about one resource; it is ready unless one of the flags is set. */
export interface ResourceSummary {
  /** In lower case: `active`, `in-progress`, `running`. */
  readonly state: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  /** Trimmed, none empty, none twice. */
  readonly message: readonly string[];
}

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
