import type { JsonValue } from '#shared/core/json.ts';
import { observedGeneration } from '#shared/core/observed-generation.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import type { SilentWecs } from '#shared/core/silence.ts';
import { createLifeCheck } from '#shared/core/status/other-life.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';

/** What staleness depends on, besides a row. */
export interface StalenessInputs {
  /** The object in the WDS. */
  readonly object: WorkloadObject;
  /** Specs of the WECs' objects by hash. */
  readonly specs: ReadonlyMap<string, JsonValue>;
  /** As in `WorkloadInputs`. */
  readonly silent?: SilentWecs;
}

/**
 * Kinds whose status always has an observed generation. A status without one counts as no status. For other kinds, a
 * status without one is about the object as it is.
 */
const OBSERVES_GENERATIONS: ReadonlySet<string> = new Set([
  'apps/v1/DaemonSet',
  'apps/v1/Deployment',
  'apps/v1/ReplicaSet',
  'apps/v1/StatefulSet',
  'policy/v1/PodDisruptionBudget',
  'v1/ReplicationController',
]);

/** Whether only the status of the WEC's object is known, as with a WorkStatus. */
export function isStatusAlone({ generation, sourceGeneration, specHash }: WecRow): boolean {
  return generation === 0 && sourceGeneration === undefined && specHash === undefined;
}

/**
 * Makes `propagation.stale` of one workload object. It is true if the WEC has been silent for longer than its limit,
 * has returned nothing (or a status that was too large to keep), or has not seen the object's current generation yet
 * (docs/architecture.md, sections 9.9 and 9.12). It is also true if the WEC has not seen the object itself yet, because
 * it reports the end of an earlier object. If only a status without a generation is known, it is false.
 */
export function createStaleness(inputs: StalenessInputs): (row: PerWecRow) => boolean {
  const { object, specs, silent } = inputs;
  const { translate } = createGenerationTranslator(object, specs);
  const observes = OBSERVES_GENERATIONS.has(`${object.apiVersion}/${object.kind}`);
  const otherLife = createLifeCheck(object, specs);
  const isBehind = (row: WecRow): boolean => {
    if (otherLife(row) !== undefined) return true;
    if (observes || observedGeneration(row.status) !== undefined) return !translate(row).current;
    if (isStatusAlone(row) && row.status !== undefined) return row.deleting === true;
    return !translate(row, row.generation).current;
  };
  return ({ wec, row, oversizedBytes }) =>
    silent?.has(wec) === true || row === undefined || oversizedBytes !== undefined || isBehind(row);
}
