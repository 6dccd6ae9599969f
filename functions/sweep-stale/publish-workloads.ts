import { boundedCounts, withEnded } from '#shared/core/health/workload-counts.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import { countWorkloads, putCounting, readCounting } from '#shared/state/workload-counts.ts';

/** What publishing the counts needs from outside. */
export interface PublishWorkloadsDeps {
  readonly store: ItemStore;
  readonly telemetry: Pick<Telemetry, 'workloads'>;
  /** The WDSes whose workload objects are counted. Default: none. */
  readonly countedWdses?: readonly string[];
  /** After so many objects of a WDS, the next invocation goes on. Default: 20,000. */
  readonly mostCounted?: number;
}

/** It bounds what a month of counting costs (docs/operations.md, section 7) and how long an invocation takes. */
const MOST_COUNTED = 20_000;

async function publishOne(
  { store, telemetry, mostCounted: most = MOST_COUNTED }: PublishWorkloadsDeps,
  wds: string,
): Promise<void> {
  const stored = await readCounting(store, wds);
  const { revision, published } = stored;
  const before = stored.after === undefined ? { counts: [] } : stored;
  const counting = await countWorkloads(store, wds, { before, most });
  if (counting.after !== undefined) {
    await putCounting(store, wds, { ...counting, revision, published });
    return;
  }
  const counts = boundedCounts(counting.counts);
  // Published first: after a crash between the two calls, the same count is published again, and no series keeps its last value.
  for (const { resource, verdict, objects } of withEnded(counts, published))
    telemetry.workloads({ wds, resource, verdict, objects });
  await putCounting(store, wds, { counts: [], revision, published: counts });
}

/**
 * Publishes how many workload objects of each WDS have each verdict, once a count has found all of them. An invocation counts at most
 * `mostCounted` objects of a WDS: of a larger one, the next invocations continue.
 *
 * @throws the error of a WDS, after all of them were counted
 */
export async function publishWorkloads(deps: PublishWorkloadsDeps): Promise<void> {
  const failures: unknown[] = [];
  for (const wds of deps.countedWdses ?? [])
    await publishOne(deps, wds).catch((error: unknown) => failures.push(error));
  for (const error of failures) throw error;
}
