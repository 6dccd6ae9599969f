import type { PropagationMembers } from '#shared/core/expression/expression.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { observedGeneration } from '#shared/core/observed-generation.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { createLifeCheck } from '#shared/core/status/other-life.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';
import { createStaleness, isStatusAlone, type StalenessInputs } from './staleness.ts';

/** The members of `propagation`, besides the time of the last update. */
export type RowPropagation = Pick<PropagationMembers, 'stale' | 'silent'> &
  Partial<PropagationMembers>;

/**
 * Makes `propagation.generation` of one workload object: the generation of the WDS object from which the WEC's object was made
 * (docs/architecture.md, section 9.12), and 0 if the WEC has returned nothing, or an object that was made for an earlier object
 * of the same name. Undefined if the object has no generation, or if only a status without a generation is known.
 */
function createAppliedGeneration(inputs: StalenessInputs): (row: PerWecRow) => number | undefined {
  const { object, specs } = inputs;
  if (countAt(object, 'metadata', 'generation') === 0) return () => undefined;
  const { translate } = createGenerationTranslator(object, specs);
  const otherLife = createLifeCheck(object, specs);
  return ({ row }) => {
    if (row === undefined || otherLife(row) !== undefined) return 0;
    if (!isStatusAlone(row)) return translate(row, row.generation).translated;
    return observedGeneration(row.status) === undefined ? undefined : translate(row).translated;
  };
}

/** Makes the members of `propagation` of the rows of one workload object (docs/cel.md, "Variables"). */
export function createRowPropagation(inputs: StalenessInputs): (row: PerWecRow) => RowPropagation {
  const isStale = createStaleness(inputs);
  const appliedGeneration = createAppliedGeneration(inputs);
  return (row) => {
    const generation = appliedGeneration(row);
    // Only the last contact of a silent WEC stays the same. Any other would change with each heartbeat.
    const lastContact = inputs.silent?.get(row.wec);
    return {
      stale: isStale(row),
      // A report that does not count is one of a WEC that is silent for the object.
      silent: inputs.silent?.has(row.wec) === true || row.uncounted?.row !== undefined,
      ...(lastContact === undefined ? {} : { lastContact }),
      ...(generation === undefined ? {} : { generation }),
    };
  };
}
