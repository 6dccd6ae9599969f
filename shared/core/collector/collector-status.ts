import { boundedErrors } from '#shared/core/error-list.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { CollectorCompilation } from './status-collector.ts';

/** The desired status of a StatusCollector. */
export interface CollectorStatus extends JsonObject {
  /** The generation that was checked. */
  readonly observedGeneration: JsonValue;
  /** The errors of the spec, as texts. Beyond 100 errors, only their number is given. Empty if the spec is valid. */
  readonly errors: readonly string[];
}

/**
 * The desired status of a StatusCollector (KubeStellar, `StatusCollectorStatus`).
 *
 * @param generation `metadata.generation`; if absent, 0
 * @param compilation what the compilation of its `spec` has returned
 */
export function collectorStatus(
  generation: JsonValue | undefined,
  compilation: CollectorCompilation,
): CollectorStatus {
  return {
    observedGeneration: generation ?? 0,
    errors: compilation.ok ? [] : boundedErrors(compilation.errors),
  };
}
