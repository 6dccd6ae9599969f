import {
  type CollectorRow,
  type CompiledCollector,
  mentions,
} from '#shared/core/collector/compiled-collector.ts';
import { isObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { createStaleness, type StalenessInputs } from './staleness.ts';

function collectorRow(obj: WorkloadObject, { wec, row }: PerWecRow, stale?: boolean): CollectorRow {
  const { status, lastUpdate } = row ?? {};
  return {
    wec,
    activation: {
      inventory: { name: wec },
      obj,
      // A WEC that has returned nothing has an empty status (docs/architecture.md, section 9.3).
      returned: isObject(status) ? status : {},
      propagation: {
        ...(lastUpdate === undefined ? {} : { lastReturnedUpdateTimestamp: lastUpdate }),
        ...(stale === undefined ? {} : { stale }),
      },
    },
  };
}

/** Makes the rows that a collector is evaluated on. */
type ToCollectorRow = (row: PerWecRow) => CollectorRow;

/**
 * How the collectors of one workload object see its rows. `propagation.stale` is made for those that mention
 * `propagation` alone, since it takes a comparison of specs.
 */
export function createCollectorRows(
  inputs: StalenessInputs,
): (collector: CompiledCollector) => ToCollectorRow {
  let isStale: ((row: PerWecRow) => boolean) | undefined;
  return (collector) => {
    if (!mentions(collector, 'propagation')) return (row) => collectorRow(inputs.object, row);
    isStale ??= createStaleness(inputs);
    const stale = isStale;
    return (row) => collectorRow(inputs.object, row, stale(row));
  };
}
