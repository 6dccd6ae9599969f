import { NO_VERDICT } from './verdict.ts';

/** How many workload objects of a resource have a verdict. */
export interface WorkloadCount {
  /** `<resource>[.<group>]`, as in `deployments.apps`, or {@link OTHER_RESOURCES}. */
  readonly resource: string;
  /** Argo CD's status, or `None` (`NO_VERDICT`). */
  readonly verdict: string;
  readonly objects: number;
}

/**
 * At most so many resources of a WDS are counted separately, because each is a series of metrics for each verdict. They are the ones
 * with the most objects.
 */
export const MAX_COUNTED_RESOURCES = 20;
/** The name of all further resources. No resource has it, because a resource of Kubernetes is a plural. */
export const OTHER_RESOURCES = 'other';

/** Adds workload objects of which each has a verdict. A verdict that is not known yet counts as `None`. */
export function addWorkloads(
  counts: readonly WorkloadCount[],
  workloads: readonly { readonly resource: string; readonly verdict: string | undefined }[],
): readonly WorkloadCount[] {
  const found = new Map(counts.map((count) => [keyOf(count), count]));
  for (const { resource, verdict = NO_VERDICT } of workloads) {
    const key = keyOf({ resource, verdict });
    found.set(key, { resource, verdict, objects: (found.get(key)?.objects ?? 0) + 1 });
  }
  return [...found.values()];
}

function keyOf({ resource, verdict }: Pick<WorkloadCount, 'resource' | 'verdict'>): string {
  return `${resource} ${verdict}`;
}

function objectsByResource(counts: readonly WorkloadCount[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { resource, objects } of counts)
    sums.set(resource, (sums.get(resource) ?? 0) + objects);
  return sums;
}

/** The resources with the most objects. Of two with as many, the first by name. */
function largestResources(counts: readonly WorkloadCount[]): ReadonlySet<string> {
  const sums = [...objectsByResource(counts)];
  const sorted = sums.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Set(sorted.slice(0, MAX_COUNTED_RESOURCES).map(([resource]) => resource));
}

/** The counts with at most {@link MAX_COUNTED_RESOURCES} resources and {@link OTHER_RESOURCES}, in the order of resource and verdict. */
export function boundedCounts(counts: readonly WorkloadCount[]): readonly WorkloadCount[] {
  const own = largestResources(counts);
  const bounded = new Map<string, WorkloadCount>();
  for (const { resource: given, verdict, objects } of counts) {
    const resource = own.has(given) ? given : OTHER_RESOURCES;
    const key = keyOf({ resource, verdict });
    const sum = (bounded.get(key)?.objects ?? 0) + objects;
    bounded.set(key, { resource, verdict, objects: sum });
  }
  return [...bounded].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

/**
 * The counts, and 0 for each series that a count before had and this one has not. So a series ends at 0 instead of its last
 * value.
 */
export function withEnded(
  counts: readonly WorkloadCount[],
  before: readonly WorkloadCount[],
): readonly WorkloadCount[] {
  const present = new Set(counts.map(keyOf));
  const ended = before.filter((count) => count.objects > 0 && !present.has(keyOf(count)));
  return [...counts, ...ended.map((count) => ({ ...count, objects: 0 }))];
}
