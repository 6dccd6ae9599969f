import { parseTimestamp, secondsText } from '#shared/core/expression/time.ts';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';

/** The API group of what Open Cluster Management applies in a WEC. */
export const WORK_GROUP = 'work.open-cluster-management.io';

/** The inventory of Open Cluster Management. */
export const MANAGED_CLUSTERS = {
  group: 'cluster.open-cluster-management.io',
  version: 'v1',
  resource: 'managedclusters',
} as const;

/** The condition of a cluster whose agent renews its lease (OCM, ManagedCluster API). */
const AVAILABLE = 'ManagedClusterConditionAvailable';

/** The condition that reports whether a ManagedCluster is available. `undefined` if the hub has not set it. */
export function availabilityOf(cluster: JsonObject): JsonValue | undefined {
  const conditions = at(cluster, 'status', 'conditions');
  if (!isArray(conditions)) return undefined;
  return conditions.find((condition) => member(condition, 'type') === AVAILABLE);
}

const NANOS_PER_MS = 1_000_000n;
/** The number of lease durations after which Open Cluster Management calls a cluster unavailable. */
const LEASE_DURATION_TIMES = 5;
/** `spec.leaseDurationSeconds` of a ManagedCluster that does not set it (OCM, ManagedCluster API). */
const DEFAULT_LEASE_DURATION_SECONDS = 60;

function limitMs(cluster: JsonObject): number {
  const seconds = at(cluster, 'spec', 'leaseDurationSeconds');
  const isGiven = typeof seconds === 'number' && seconds > 0;
  return (isGiven ? seconds : DEFAULT_LEASE_DURATION_SECONDS) * LEASE_DURATION_TIMES * 1000;
}

/** When a condition changed, in milliseconds since the epoch. `undefined` if the time is invalid. */
function changedMs(condition: JsonValue | undefined): number | undefined {
  const time = parseTimestamp(String(member(condition, 'lastTransitionTime')));
  return typeof time === 'string' ? undefined : Number(time.nanos / NANOS_PER_MS);
}

/**
 * Whether a cluster has been silent for longer than its limit: its ManagedCluster has not been available for more than
 * 5 lease durations, which are 5 minutes by default. Open Cluster Management waits for the same time before it sets the
 * condition.
 *
 * @param nowMs milliseconds since the epoch
 * @param silenceMs a limit to use instead of these lease durations
 */
export function isSilent(
  cluster: JsonObject,
  nowMs: number,
  silenceMs = limitMs(cluster),
): boolean {
  const condition = availabilityOf(cluster);
  if (condition === undefined || member(condition, 'status') === 'True') return false;
  const sinceMs = changedMs(condition);
  // If the time is invalid, an unavailable cluster does not count as recently available.
  return sinceMs === undefined || nowMs - sinceMs > silenceMs;
}

/** Since when a cluster that is not available is not: RFC 3339, in UTC and whole seconds. Empty if the time is invalid. */
export function unavailableSince(cluster: JsonObject): { readonly since?: string } {
  const sinceMs = changedMs(availabilityOf(cluster));
  return sinceMs === undefined ? {} : { since: secondsText(sinceMs) };
}
