import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { SELECTOR } from './served-specs.ts';

const time = fc.integer({ min: 0, max: 5 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);

type Said = readonly [status: string, reason: string];

const said = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Said>(['True', 'SufficientPods']) },
  { weight: 4, arbitrary: fc.constant<Said>(['False', 'InsufficientPods']) },
  fc.constant<Said>(['False', 'SyncFailed']),
  fc.constant<Said>(['Unknown', 'AwaitingPods']),
);

/** DisruptionAllowed is the only type that Kubernetes writes; another controller may add its own. */
function entryOf(type: string): fc.Arbitrary<JsonObject> {
  return fc.tuple(said, time, fc.nat({ max: 9 })).map(([[status, reason], at, observed]) => ({
    type,
    status,
    reason,
    message: '',
    lastTransitionTime: at,
    ...(observed === 0 ? {} : { observedGeneration: observed }),
  }));
}

const conditions = fc.oneof(
  { weight: 12, arbitrary: entryOf('DisruptionAllowed').map((entry) => [entry]) },
  fc.constant([]),
  fc.tuple(entryOf('DisruptionAllowed'), entryOf('example.com/Audited')),
);

/** Budgets: met and not met, failed, with counters that API servers hold. */
export const POD_DISRUPTION_BUDGET: KindSets = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  served: { spec: { minAvailable: 1, selector: SELECTOR } },
  readsGeneration: false,
  hasGeneration: true,
  literal: {
    numbers: ['currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods'],
  },
  specs: fc.constant({ minAvailable: 2 }),
  differingSpec: (spec) => fc.constantFrom(1, 3).map((minAvailable) => ({ ...spec, minAvailable })),
  olderSpec: (spec) => ({ ...spec, minAvailable: 0 }),
  statuses: () =>
    fc
      .record({
        observedGeneration: fc.integer({ min: 1, max: 9 }),
        disruptionsAllowed: fc.nat({ max: 3 }),
        currentHealthy: fc.nat({ max: 5 }),
        desiredHealthy: fc.nat({ max: 5 }),
        expectedPods: fc.nat({ max: 5 }),
        list: conditions,
      })
      .map(({ list, ...counters }) => ({
        ...counters,
        ...(list.length === 0 ? {} : { conditions: list }),
      })),
};
