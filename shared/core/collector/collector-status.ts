import { boundedErrors } from '#shared/core/error-list.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { compileStatusCollector } from './status-collector.ts';

/** What the status of a StatusCollector should say. */
export interface CollectorStatus extends JsonObject {
  /** The generation that was checked. */
  readonly observedGeneration: JsonValue;
  /** What is wrong with the spec, in words, beyond 100 errors their number alone; empty: nothing. */
  readonly errors: readonly string[];
}

/**
 * What the status of a StatusCollector should say (KubeStellar, `StatusCollectorStatus`).
 *
 * @param generation `metadata.generation`; absent: 0
 */
export function collectorStatus(
  generation: JsonValue | undefined,
  spec: JsonValue | undefined,
): CollectorStatus {
  const compilation = compileStatusCollector(spec ?? {});
  return {
    observedGeneration: generation ?? 0,
    errors: compilation.ok ? [] : boundedErrors(compilation.errors),
  };
}
