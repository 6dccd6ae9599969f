import {
  type CollectorRow,
  type CompiledCollector,
  mentions,
} from '#shared/core/collector/compiled-collector.ts';
import type { Activation } from '#shared/core/expression/expression.ts';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WecRow } from '#shared/core/row.ts';
import { NO_INVENTORY } from '#shared/core/wec-inventory.ts';
import { createRowPropagation, type RowPropagation } from './row-propagation.ts';
import { isStatusAlone, type StalenessInputs } from './staleness.ts';
import type { WorkloadInputs } from './workload-inputs.ts';

/** `returned.metadata`. Undefined if only the status of the WEC's object is known. */
function returnedMetadata(row: WecRow): JsonObject | undefined {
  const { uid, generation, created } = row;
  if (isStatusAlone(row)) return undefined;
  return {
    uid,
    generation,
    ...(created === undefined ? {} : { creationTimestamp: created }),
  };
}

/** What a WEC has returned, as expressions see it. */
function returnedBy(
  { specs }: StalenessInputs,
  row: WecRow | undefined,
): Pick<Activation, 'returned' | 'returnedSpec' | 'returnedMetadata'> {
  // A WEC that has returned nothing has an empty status (docs/architecture.md, section 9.3).
  const returned = isObject(row?.status) ? row.status : {};
  const spec = row?.specHash === undefined ? undefined : specs.get(row.specHash);
  const metadata = row && returnedMetadata(row);
  return {
    returned,
    ...(spec === undefined ? {} : { returnedSpec: spec }),
    ...(metadata === undefined ? {} : { returnedMetadata: metadata }),
  };
}

function collectorRow(
  inputs: RowInputs,
  perWec: PerWecRow,
  propagation?: RowPropagation,
): CollectorRow {
  const { wec, row } = perWec;
  const { lastUpdate } = row ?? {};
  // Only these members, whatever else the caller keeps with them.
  const { labels, annotations } = inputs.inventory?.get(wec) ?? NO_INVENTORY;
  return {
    wec,
    activation: {
      inventory: { name: wec, labels, annotations },
      obj: inputs.object,
      ...returnedBy(inputs, row),
      propagation: {
        ...(lastUpdate === undefined ? {} : { lastReturnedUpdateTimestamp: lastUpdate }),
        ...propagation,
      },
    },
  };
}

/** Makes the rows on which a collector is evaluated. */
type ToCollectorRow = (row: PerWecRow) => CollectorRow;

/** What the rows of a workload object depend on, besides what its WECs report. */
export type RowInputs = StalenessInputs & Pick<WorkloadInputs, 'inventory'>;

/**
 * Makes the rows of one workload object as collectors see them. The members of `propagation` are computed only for collectors
 * that mention `propagation`, because that compares specs.
 */
export function createCollectorRows(
  inputs: RowInputs,
): (collector: CompiledCollector) => ToCollectorRow {
  let propagationOf: ((row: PerWecRow) => RowPropagation) | undefined;
  return (collector) => {
    if (!mentions(collector, 'propagation')) return (row) => collectorRow(inputs, row);
    propagationOf ??= createRowPropagation(inputs);
    const ofRow = propagationOf;
    return (row) => collectorRow(inputs, row, ofRow(row));
  };
}
