import { countAt } from '#shared/core/health/count-at.ts';
import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { Component } from '#shared/core/status/component.ts';
import type { ConditionReport } from '#shared/core/status/conditions.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';

const DEFAULT_REPLICAS = 1;

/** How many replicas a spec asks for; one where it does not say, as in Kubernetes. */
export function replicasIn(spec: JsonValue | undefined): number {
  const replicas = member(spec, 'replicas');
  return typeof replicas === 'number' ? replicas : DEFAULT_REPLICAS;
}

/** How many replicas the WEC wants, where that is known and differs from the WDS; else how many the WDS wants. */
export function wantedIn({ ownSpec, workload }: RowFacts): number {
  return replicasIn(ownSpec ?? workload['spec']);
}

/** Whether a current WEC is known to want another number of replicas than the WDS. */
export function wantsAnother(facts: RowFacts): boolean {
  return wantedIn(facts) !== replicasIn(facts.workload['spec']);
}

/** How many a WEC is short of a number in a counter of its `.status`; 0 where it has as many or more. */
export function missingOf(read: (facts: RowFacts) => number, field: string) {
  return (facts: RowFacts): number => Math.max(read(facts) - countAt(facts.status, field), 0);
}

type ReplicaCount = {
  readonly lowest: number;
  /** How many the worst WEC is short of what it wants itself. */
  readonly shortfall: number;
  /** Whether a WEC wants another number than the WDS: then the lowest compares what cannot be compared. */
  readonly differs: boolean;
};

/**
 * A counter of replicas: the lowest of all WECs, absent being 0 (D1). Where a current WEC is known to want another number
 * of replicas than the WDS: what the WDS wants less the largest shortfall of a WEC (D8).
 *
 * @param field the counter in `.status`
 */
export function replicaCount(field: string): Component<ReplicaCount, number> {
  const shortfall = missingOf(wantedIn, field);
  return {
    lift: (facts) => ({
      lowest: countAt(facts.status, field),
      shortfall: shortfall(facts),
      differs: wantsAnother(facts),
    }),
    merge: (a, b) => ({
      lowest: Math.min(a.lowest, b.lowest),
      shortfall: Math.max(a.shortfall, b.shortfall),
      differs: a.differs || b.differs,
    }),
    finish: (part, { workload }) =>
      part.differs ? Math.max(replicasIn(workload['spec']) - part.shortfall, 0) : part.lowest,
  };
}

/** Types of condition of objects with replicas whose True is the bad news. */
export const REPLICA_FAILURE_TYPES: ReadonlySet<string> = new Set(['ReplicaFailure']);

/**
 * What an entry counts as: a ReplicaFailure that is True goes before newer entries (R2, R3), unless its WEC is not
 * current: then it says nothing about the current generation.
 */
export function reportReplicaFailure(
  type: string,
  entry: JsonObject,
  { current }: RowFacts,
): ConditionReport {
  if (!REPLICA_FAILURE_TYPES.has(type) || entry['status'] !== 'True')
    return { entry, decisive: false };
  return current
    ? { entry, decisive: true }
    : { entry: { ...entry, status: 'Unknown' }, decisive: false };
}
