import fc from 'fast-check';
import { countAt } from '#shared/core/health/count-at.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { DEPLOYMENT } from './deployment-sets.ts';
import { REPLICA_SET } from './replica-set-sets.ts';
import { STATEFUL_SET } from './stateful-set-sets.ts';

/**
 * A kind whose counters do not fit each other, as simulators and custom controllers write them where nothing validates:
 * more available or updated pods than there are, or none ready of those available.
 */
function simulated(kind: KindSets, ...counters: readonly string[]): KindSets {
  const withCounters = (spec: JsonObject, status: JsonObject): fc.Arbitrary<JsonObject> => {
    const wanted = countAt(spec, 'replicas');
    const odd = fc.oneof(
      { weight: 3, arbitrary: fc.constant(wanted) },
      fc.nat({ max: wanted + 1 }),
    );
    return fc
      .tuple(...counters.map((field) => odd.map((count): [string, number] => [field, count])))
      .map((own) => ({
        ...status,
        ...Object.fromEntries(own.filter(([, count]) => count !== 0)),
      }));
  };
  return {
    ...kind,
    statuses: (spec) => kind.statuses(spec).chain((status) => withCounters(spec, status)),
  };
}

export const SIMULATED_DEPLOYMENT = simulated(
  DEPLOYMENT,
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
);

export const SIMULATED_REPLICA_SET = simulated(
  REPLICA_SET,
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
);

export const SIMULATED_STATEFUL_SET = simulated(
  STATEFUL_SET,
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'currentReplicas',
  'updatedReplicas',
);
