import { type CollectorPart, collectorFold } from '#shared/core/collector/collector-fold.ts';
import type { CollectorResult } from '#shared/core/collector/collector-result.ts';
import type { CollectorRow, CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { type Fold, lifterOf } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { createCollectorRows } from './collector-rows.ts';
import { OVERSIZED } from './oversized-fold.ts';
import type { WorkloadInputs, WorkloadMembership } from './workload-inputs.ts';

/** One of the folds that a workload's results consist of, and the rows that it takes. */
export interface Component {
  readonly fold: Fold<PerWecRow, JsonValue, unknown>;
  readonly takes: (wec: string) => boolean;
}

/** A collector's fold on PerWEC rows. */
function collectorComponent(
  collector: CompiledCollector,
  toRow: (row: PerWecRow) => CollectorRow,
): Fold<PerWecRow, CollectorPart, CollectorResult> {
  const fold = collectorFold(collector);
  return {
    ...fold,
    lift: (row) => fold.lift(toRow(row)),
    lifter() {
      const lift = lifterOf(fold);
      return (row) => lift(toRow(row));
    },
  };
}

/** The collectors of one Binding, as components of the fold. */
export interface BindingComponents {
  readonly membership: WorkloadMembership;
  readonly collectors: readonly {
    readonly name: string;
    readonly index: number;
    readonly fold: Fold<PerWecRow, CollectorPart, CollectorResult>;
  }[];
}

/** Where in a workload's part what stands, and how each component reads its rows. */
export interface Layout {
  readonly components: readonly Component[];
  readonly bindings: readonly BindingComponents[];
}

/**
 * The components of a workload's fold.
 *
 * @param status the fold of its `.status`, which comes first
 */
export function layout(inputs: WorkloadInputs, object: WorkloadObject, status: Component): Layout {
  const components: Component[] = [status];
  const bindings: BindingComponents[] = [];
  const rowsFor = createCollectorRows({ ...inputs, object });
  const any = inputs.memberships.map(({ destinations }) => destinations.set);
  components.push({
    fold: OVERSIZED as Component['fold'],
    takes: (wec) => any.some((set) => set.has(wec)),
  });
  for (const membership of inputs.memberships) {
    const collectors: BindingComponents['collectors'][number][] = [];
    for (const name of membership.modulation.statusCollectors) {
      const collector = inputs.collectors.get(name);
      if (collector === undefined) continue;
      const fold = collectorComponent(collector, rowsFor(collector));
      collectors.push({ name, index: components.length, fold });
      components.push({
        // A component's parts reach it alone.
        fold: fold as Component['fold'],
        takes: (wec) => membership.destinations.set.has(wec),
      });
    }
    bindings.push({ membership, collectors });
  }
  return { components, bindings };
}
