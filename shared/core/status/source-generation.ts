import { countAt } from '#shared/core/health/count-at.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { observedOrZero } from '#shared/core/observed-generation.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';
import { createSpecComparison } from './spec-comparison.ts';

/** A generation that a WEC observed, in the WDS's numbers. */
export interface TranslatedGeneration {
  /** From 0 to the WDS's current generation. Not bounded if the WDS object has no generation. */
  readonly translated: number;
  /** Whether the WEC acts on the WDS's current generation, so that its report is about what the WDS wants now. */
  readonly current: boolean;
}

/** Translates the generations that WECs observed to those of one workload object in its WDS. */
export interface GenerationTranslator {
  /**
   * Translates one row.
   *
   * @param row undefined for a WEC that has returned nothing, which is assumed not to have seen the current generation
   * @param observed the generation that the WEC observed; by default the one of its status, 0 if it states none
   */
  translate(row: WecRow | undefined, observed?: number): TranslatedGeneration;
}

/**
 * A WEC counts the generations of its own object, which are independent of the WDS's. The comparable number is the
 * generation S of the WDS object from which the WEC's object was made (docs/architecture.md, section 9.12). The
 * annotation contains S. Without it, S is the WDS's current generation G if the WEC's spec has every field of the
 * WDS's. Otherwise, the WEC is lagging, and S is G-1. A WEC whose controller has observed its object's generation has
 * observed S. Any other WEC has observed at most S-1. While its object is being deleted, a WEC is not current,
 * regardless of what it observed.
 *
 * If only the status of the WEC's object is known (a WorkStatus that KubeStellar's own agent writes has neither
 * generation nor spec), the number is used as it is, as KubeStellar does. This is right as long as both sides were
 * changed equally often. The number is also used as it is if the WDS object has no generation.
 *
 * @param specsByHash the specs of the WECs' objects under the hashes that the rows name; if a hash is missing here, its
 *   spec cannot be compared, so its WEC is lagging unless its row has a source generation
 */
export function createGenerationTranslator(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): GenerationTranslator {
  const wanted = countAt(workload, 'metadata', 'generation');
  const isAppliedInWec = createSpecComparison(workload, specsByHash);
  const assumedSource = (row: WecRow, observed: number): number => {
    if (row.specHash === undefined && row.generation === 0) return observed;
    return isAppliedInWec(row) ? wanted : wanted - 1;
  };
  return {
    translate(row, observed = observedOrZero(row?.status)) {
      if (row === undefined) return { translated: Math.max(wanted - 1, 0), current: false };
      const source = row.sourceGeneration ?? assumedSource(row, observed);
      const seen = observed >= row.generation;
      const current = seen && source >= wanted && row.deleting !== true;
      if (wanted === 0) return { translated: observed, current };
      const reached = Math.max(seen ? source : source - 1, 0);
      return { translated: current ? wanted : Math.min(reached, wanted - 1), current };
    },
  };
}
