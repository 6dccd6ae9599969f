import { countAt } from '#shared/core/health/count-at.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';
import { createSpecComparison } from './spec-comparison.ts';

/** A generation that a WEC observed, in the numbers of the WDS. */
export interface TranslatedGeneration {
  /** From 0 to the WDS's current generation; not bounded where the WDS object has none. */
  readonly translated: number;
  /** Whether the WEC acts on the WDS's current generation: what it says is about what the WDS wants now. */
  readonly current: boolean;
}

/** Translates the generations that WECs observed into those of one workload object in its WDS. */
export interface GenerationTranslator {
  /**
   * Translates one row.
   *
   * @param row undefined of a WEC that has returned nothing: it is assumed not to have seen the current generation
   * @param observed the generation that the WEC observed; `status.observedGeneration` (absent is 0) by default
   */
  translate(row: WecRow | undefined, observed?: number): TranslatedGeneration;
}

/**
 * A WEC counts the generations of its own object, which says nothing about the WDS's; what is comparable is the
 * generation S of the WDS object that the WEC's object was made from (docs/architecture.md, section 9.12). The
 * annotation says S; without it, S is the WDS's current generation G where the WEC's spec has every field of the WDS's,
 * else the WEC is lagging and S is G-1. A WEC whose controller has observed its object's generation has observed S, any
 * other at most S-1. A WEC is not current, whatever it observed, while its object is being deleted.
 *
 * Where nothing is known of the WEC's object but its status (a WorkStatus, as KubeStellar's own agent writes it, has
 * neither generation nor spec), the number is taken as it stands, as KubeStellar does: right as long as both sides were
 * changed equally often. It also stays as it is where the WDS object has no generation to translate to.
 *
 * @param specsByHash the specs of the WECs' objects under the hashes that the rows name; a hash that is missing here
 *   cannot be compared, so its WEC is lagging unless its row names its source generation
 */
export function createGenerationTranslator(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): GenerationTranslator {
  const wanted = countAt(workload, 'metadata', 'generation');
  const standsInWec = createSpecComparison(workload, specsByHash);
  const assumedSource = (row: WecRow, observed: number): number => {
    if (row.specHash === undefined && row.generation === 0) return observed;
    return standsInWec(row) ? wanted : wanted - 1;
  };
  return {
    translate(row, observed = countAt(row?.status, 'observedGeneration')) {
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
