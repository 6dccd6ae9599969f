import { countAt } from '#shared/core/health/count-at.ts';
import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { Component } from '#shared/core/status/component.ts';
import { selecting } from '#shared/core/status/deciders.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';

const DEFAULT_REPLICAS = 1;

/** The number of replicas in a spec. If the spec does not set it, one, as in Kubernetes. */
export function replicasIn(spec: JsonValue | undefined): number {
  const replicas = member(spec, 'replicas');
  return typeof replicas === 'number' ? replicas : DEFAULT_REPLICAS;
}

/**
 * The number of replicas that the WEC wants, if it is known and differs from the WDS. Otherwise, the number that the
 * WDS wants.
 */
export function wantedIn({ ownSpec, workload }: RowFacts): number {
  return replicasIn(ownSpec ?? workload['spec']);
}

/** Whether a current WEC is known to want another number of replicas than the WDS. */
export function wantsAnother(facts: RowFacts): boolean {
  return wantedIn(facts) !== replicasIn(facts.workload['spec']);
}

/** How many a WEC lacks of a number in a counter of its `.status`. 0 if it has as many or more. */
export function missingOf(read: (facts: RowFacts) => number, field: string) {
  return (facts: RowFacts): number => Math.max(read(facts) - countAt(facts.status, field), 0);
}

type ReplicaCount = {
  readonly lowest: number;
  /** How many the worst WEC lacks of what it wants itself. */
  readonly shortfall: number;
  /** Whether a WEC wants another number than the WDS. If so, the lowest number would compare different things. */
  readonly differs: boolean;
};

/** The values of a counter of replicas in the WECs. */
interface ReplicaNumbers {
  /** The lowest, 0 if absent (D1). */
  readonly lowest: number;
  /**
   * The lowest. If a current WEC is known to want another number of replicas than the WDS: what the WDS wants minus the
   * largest shortfall of a WEC (D8).
   */
  readonly inWds: number;
}

/**
 * A counter of replicas.
 *
 * @param field the counter in `.status`
 */
export function replicaCount(field: string): Component<ReplicaCount, ReplicaNumbers> {
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
    finish: ({ lowest, shortfall: most, differs }, { workload }) => ({
      lowest,
      inWds: differs ? Math.max(replicasIn(workload['spec']) - most, 0) : lowest,
    }),
    deciders: selecting((part) => part),
  };
}

/**
 * Whether an API server accepts the counters of a status: none of these is above `replicas`, and no more are available
 * than ready (D9).
 */
export function fits(...fields: readonly string[]) {
  return (status: JsonObject): boolean => {
    const [replicas, ready, available] = ['replicas', 'readyReplicas', 'availableReplicas'].map(
      (field) => countAt(status, field),
    );
    return (
      fields.every((field) => countAt(status, field) <= Number(replicas)) &&
      Number(available) <= Number(ready)
    );
  };
}
