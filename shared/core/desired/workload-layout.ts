import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import { type CollectorPart, collectorFold } from '#shared/core/collector/collector-fold.ts';
import { type CollectorResult, failedResult } from '#shared/core/collector/collector-result.ts';
import {
  type CollectorRow,
  type CompiledCollector,
  columnNames,
  compiledBytes,
  type NamedCollector,
} from '#shared/core/collector/compiled-collector.ts';
import { CompiledShares } from '#shared/core/collector/compiled-share.ts';
import {
  type CollectorShare,
  shareOf,
  tooSmall,
  WHOLE_SHARE,
} from '#shared/core/collector/share.ts';
import { type Fold, lifterOf } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { censusFold } from '#shared/core/status-api/census.ts';
import { createCollectorRows } from './collector-rows.ts';
import { otherLifeFold } from './other-life-fold.ts';
import { OVERSIZED } from './oversized-fold.ts';
import type { WorkloadInputs } from './workload-inputs.ts';

/** One of the folds of the results of a workload object, and the rows that it takes. */
export interface Component {
  readonly fold: Fold<PerWecRow, JsonValue, unknown>;
  readonly takes: (wec: string) => boolean;
}

/** The fold of a collector, on PerWEC rows. */
function collectorComponent(
  collector: CompiledCollector,
  toRow: (row: PerWecRow) => CollectorRow,
  share: CollectorShare,
): Fold<PerWecRow, CollectorPart, CollectorResult> {
  const fold = collectorFold(collector, share);
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
  /** The collectors that are not evaluated. */
  readonly refused: readonly { readonly name: string; readonly result: CollectorResult }[];
}

/** The positions of the components in a workload's part, and how each component reads its rows. */
export interface Layout {
  readonly components: readonly Component[];
  readonly bindings: readonly BindingComponents[];
}

/** A Binding, and the collectors that it names: the valid ones, and those that may be valid. */
interface NamedCollectors {
  readonly membership: WorkloadMembership;
  readonly valid: readonly {
    readonly name: string;
    readonly collector: NamedCollector;
  }[];
}

function namedCollectors({ memberships, collectors }: WorkloadInputs): readonly NamedCollectors[] {
  return memberships.map((membership) => ({
    membership,
    valid: membership.modulation.statusCollectors.flatMap((name) => {
      const collector = collectors.get(name);
      return collector === undefined ? [] : [{ name, collector }];
    }),
  }));
}

/** The memory that a collector takes if it is compiled. Nothing is known about one that is not checked. */
function bytesOf(collector: NamedCollector): number | undefined {
  if (collector.kind === 'unchecked') return undefined;
  return collector.kind === 'uncompiled' ? collector.bytes : compiledBytes(collector);
}

/** The shares of the Bindings in the memory for compiled collectors, after each collector was offered. */
function compiledShares({ memberships, collectors }: WorkloadInputs): CompiledShares {
  const shares = new CompiledShares(memberships);
  for (const name of [...collectors.keys()].sort()) {
    const bytes = bytesOf(collectors.get(name) as NamedCollector); // one of its keys
    if (bytes !== undefined) shares.offer(name, bytes);
  }
  return shares;
}

/**
 * The number of Bindings with which a Binding shares what the object may use for a WEC: for each WEC of the Binding,
 * the Bindings that name collectors and that WEC are counted, and the largest number is used. A Binding without
 * destinations, or with other destinations, takes nothing from it.
 */
function sharingOf(named: readonly NamedCollectors[]): (membership: WorkloadMembership) => number {
  const sharing = named.filter(
    ({ membership, valid }) => valid.length > 0 && membership.destinations.names.length > 0,
  );
  const most = Math.max(...sharing.map(({ valid }) => valid.length), 0);
  // Each Binding has its maximum, so nothing needs to be counted.
  if (shareOf(sharing.length, most) === WHOLE_SHARE) return () => sharing.length;
  const bindings = new Map<string, number>();
  const of = (wec: string): number => bindings.get(wec) ?? 0;
  for (const { membership } of sharing)
    for (const wec of membership.destinations.names) bindings.set(wec, of(wec) + 1);
  return ({ destinations }) =>
    destinations.names.reduce((count, wec) => Math.max(count, of(wec)), 0);
}

const UNCHECKED = failedResult('not evaluated yet, because the StatusCollector is being checked');

/**
 * The components of a workload's fold, in this order: its `.status`; the statuses that are too large; those that belong
 * to another object; the census; its collectors.
 *
 * @param status the fold of its `.status`
 */
export function layout(inputs: WorkloadInputs, object: WorkloadObject, status: Component): Layout {
  const any = inputs.memberships.map(({ destinations }) => destinations.set);
  const census = censusFold({
    workload: inputs.ref,
    version: object.apiVersion.slice(object.apiVersion.indexOf('/') + 1),
    object,
    specs: inputs.specs,
  });
  // A component only receives its own parts.
  const components: Component[] = [
    status,
    {
      fold: OVERSIZED as Component['fold'],
      takes: (wec) => any.some((set) => set.has(wec)),
    },
    { fold: otherLifeFold(object, inputs.specs) as Component['fold'], takes: status.takes },
    { fold: census as Component['fold'], takes: (wec) => any.some((set) => set.has(wec)) },
  ];
  const rowsFor = createCollectorRows({ ...inputs, object });
  const named = namedCollectors(inputs);
  const sharing = sharingOf(named);
  const compiled = compiledShares(inputs);
  const bindings = named.map(({ membership, valid }): BindingComponents => {
    const share = shareOf(sharing(membership), valid.length);
    const collectors: BindingComponents['collectors'][number][] = [];
    const refused: BindingComponents['refused'][number][] = [];
    for (const { name, collector: found } of valid) {
      if (found.kind === 'unchecked') {
        refused.push({ name, result: UNCHECKED });
        continue;
      }
      const refusal = compiled.refusal(membership.binding, name);
      // A collector that is not compiled is refused by all Bindings.
      const collector = found as CompiledCollector;
      const failure = refusal ?? tooSmall(share, columnNames(collector).length);
      if (failure !== undefined) {
        refused.push({ name, result: failedResult(failure) });
        continue;
      }
      const fold = collectorComponent(collector, rowsFor(collector), share);
      collectors.push({ name, index: components.length, fold });
      const { set } = membership.destinations;
      components.push({ fold: fold as Component['fold'], takes: (wec) => set.has(wec) });
    }
    return { membership, collectors, refused };
  });
  return { components, bindings };
}
