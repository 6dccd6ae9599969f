import { at, member } from '#shared/core/json.ts';
import { availabilityOf } from '#shared/core/managed-cluster.ts';
import type { GivenObject } from './given-objects.ts';

/** How many lease durations Open Cluster Management waits for a WEC before it calls it unavailable. */
const LEASE_DURATION_TIMES = 5;
/** `spec.leaseDurationSeconds` of a ManagedCluster that has none. */
const DEFAULT_LEASE_DURATION_SECONDS = 60;

function limitMs({ object }: GivenObject): number {
  const seconds = at(object, 'spec', 'leaseDurationSeconds');
  const isGiven = typeof seconds === 'number' && seconds > 0;
  return (isGiven ? seconds : DEFAULT_LEASE_DURATION_SECONDS) * LEASE_DURATION_TIMES * 1000;
}

function isSilent(cluster: GivenObject, nowMs: number): boolean {
  const condition = availabilityOf(cluster.object);
  if (condition === undefined || member(condition, 'status') === 'True') return false;
  const since = Date.parse(String(member(condition, 'lastTransitionTime')));
  // A time that says nothing does not make an unavailable WEC a recent one.
  return Number.isNaN(since) || nowMs - since > limitMs(cluster);
}

/**
 * Names of the WECs that have been silent for longer than their limit: those whose ManagedCluster has not been available
 * for more than 5 lease durations (5 minutes by default; Open Cluster Management allows as much before it says so).
 *
 * @param clusters ManagedClusters
 */
export function silentWecs(clusters: readonly GivenObject[], nowMs: number): ReadonlySet<string> {
  return new Set(clusters.filter((one) => isSilent(one, nowMs)).map(({ name }) => name));
}
