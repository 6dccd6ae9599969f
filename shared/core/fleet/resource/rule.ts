import type { ObservedCondition } from '#shared/core/health/kstatus/observed-object.ts';
import type { KstatusVerdict } from '#shared/core/health/kstatus/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** Fleet's summary of one resource. The resource is ready unless one of the flags is set. */
export interface ResourceSummary {
  /** In lower case: `active`, `in-progress`, `running`. */
  readonly state: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  /** Trimmed, without empty texts and repetitions. */
  readonly message: readonly string[];
}

/** A resource with the values that the rules read. */
export interface ObservedResource {
  readonly object: JsonObject;
  readonly conditions: readonly ObservedCondition[];
  readonly kstatus: KstatusVerdict;
}

/** One of Fleet's summarizers. It receives the summary of the previous rules and returns the new one. */
export type Rule = (observed: ObservedResource, summary: ResourceSummary) => ResourceSummary;

/** Changes members of a summary, and adds a message. */
export function changed(
  summary: ResourceSummary,
  { message, ...change }: Partial<Omit<ResourceSummary, 'message'>> & { readonly message: string },
): ResourceSummary {
  return { ...summary, ...change, message: [...summary.message, message] };
}
