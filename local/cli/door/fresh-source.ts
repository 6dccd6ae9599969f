import type { CollectorRow, CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import type { FreshWorkload } from '#shared/core/explanation/fresh-statuses.ts';
import { selectableWorkload } from '#shared/core/explanation/selectable-explanation.ts';
import { selectableWec, selectableWecStatus } from '#shared/core/status-api/selectable.ts';
import { EVERYTHING, selects } from '#shared/core/status-api/selector.ts';
import {
  resourceText,
  type WorkloadName,
  wecStatusName,
  workloadText,
} from '#shared/core/status-api/status-name.ts';
import type { QueriedRow } from '#shared/core/status-api/status-query.ts';
import type { BoundWorkload, Wec } from '#shared/core/status-api/wec-status.ts';
import type {
  RowsBatch,
  RowsRequest,
  Scope,
  StatusSource,
  WorkloadState,
} from '#shared/ports/status-source.ts';
import { SortedItems, sortKey } from './sorted-pages.ts';

/** All that determines the result of a workload object, besides what the WDS says of it. */
export type FreshState = Omit<WorkloadState, keyof BoundWorkload>;

/** What is read of files. */
export interface FreshSourceParts {
  readonly workloads: readonly FreshWorkload[];
  readonly wecs: readonly Wec[];
  /** All that determines the result of a workload object. Undefined if no Binding names it. */
  readonly stateOf: (workload: WorkloadName) => FreshState | undefined;
  /** What each WEC has reported of a workload object, in the order of names. Empty if the WDS has no such object. */
  readonly rowsOf: (
    workload: WorkloadName,
    collector: CompiledCollector,
  ) => readonly CollectorRow[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

function isIn(scope: Scope, { namespace }: WorkloadName): boolean {
  if (scope === 'cluster') return namespace === '';
  return scope === 'all-namespaces' ? namespace !== '' : namespace === scope.namespace;
}

/** The rows of a query, all at once: what they are made of is in memory anyway. */
async function* rowsIn(
  { workloads, rowsOf }: FreshSourceParts,
  { scope, workloads: asked, collector, after = '', readable }: RowsRequest,
): AsyncGenerator<RowsBatch> {
  const found = workloads
    .filter(({ workload }) => isIn(scope, workload) && readable(workload))
    .filter(({ workload, bound }) => isAsked(asked, workload) && asked.matches(bound.ownLabels))
    .flatMap(({ workload, bound: { kind } }) =>
      rowsOf(workload, collector).map((row): QueriedRow => {
        const name = wecStatusName({ workload, wec: row.wec });
        const position = sortKey(workload.namespace, name);
        return { workload, kind, row, bytes: 0, position };
      }),
    );
  const rows = found
    .filter(({ position }) => position > after)
    .sort((a, b) => (a.position < b.position ? -1 : 1));
  yield { rows, isLast: true };
}

function isAsked(
  asked: RowsRequest['workloads'],
  { group, resource, name }: WorkloadName,
): boolean {
  return (
    (asked.group ?? group) === group &&
    (asked.resource ?? resource) === resource &&
    (asked.name ?? name) === name
  );
}

/** A source over what is in memory. It never changes, so it has one revision. */
export function createFreshSource(parts: FreshSourceParts): StatusSource {
  const all = parts.workloads;
  const workloads = new SortedItems(
    all.map((one) => [sortKey(one.workload.namespace, workloadText(one.workload)), one]),
  );
  const statuses = new SortedItems(
    all.flatMap((one) =>
      one.statuses.map(
        (status) => [sortKey(one.workload.namespace, wecStatusName(status)), status] as const,
      ),
    ),
  );
  const wecs = new SortedItems(parts.wecs.map((wec) => [sortKey('', wec.name), wec]));
  return {
    wecStatus: async (ref) => statuses.get(sortKey(ref.workload.namespace, wecStatusName(ref))),
    wecStatuses: async ({ scope, selector, readable, ...page }) =>
      statuses.page(
        page,
        (status) =>
          isIn(scope, status.workload) &&
          readable(status.workload) &&
          selects(selector, selectableWecStatus(status)),
      ),
    rows: (request) => rowsIn(parts, request),
    resourcesIn: async (scope) => {
      const within = all.map(({ workload }) => workload).filter((one) => isIn(scope, one));
      return [...new Map(within.map((one) => [resourceText(one), one])).values()];
    },
    workloads: async ({ scope, selector = EVERYTHING, wecs: sentTo, readable, ...page }) => {
      const { items, ...more } = workloads.page(
        page,
        ({ workload, bound, statuses: reports }) =>
          isIn(scope, workload) &&
          readable(workload) &&
          selects(selector, selectableWorkload(bound)) &&
          (sentTo === undefined || reports.some(({ wec }) => sentTo.includes(wec))),
      );
      return { items: items.map(({ bound }) => bound), ...more };
    },
    workload: async (workload) => {
      const found = workloads.get(sortKey(workload.namespace, workloadText(workload)));
      const state = parts.stateOf(workload);
      return found && state && { ...found.bound, ...state };
    },
    wec: async (name) => wecs.get(sortKey('', name)),
    wecs: async ({ selector, ...page }) =>
      wecs.page(page, (wec) => selects(selector, selectableWec(wec))),
    revision: async () => parts.nowMs,
    changes: async () => undefined,
    subscribe: () => () => undefined,
  };
}
