import fc from 'fast-check';
import { countAt } from '#shared/core/health/count-at.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { SELECTING } from './served-specs.ts';

const count = fc.nat({ max: 8 });

/** Counters that an API server accepts; half of them are those of a WEC that has all it wants. */
function countersFor(wanted: number): fc.Arbitrary<JsonObject> {
  const any = fc
    .record({ replicas: count, labeled: count, ready: count, available: count })
    .map((raw) => {
      const ready = Math.min(raw.ready, raw.replicas);
      return {
        replicas: raw.replicas,
        labeled: Math.min(raw.labeled, raw.replicas),
        ready,
        available: Math.min(raw.available, ready),
      };
    });
  const withMore = (more: number) => {
    const all = wanted + more;
    return { replicas: all, labeled: all, ready: all, available: all };
  };
  // All pods run; some are not ready, or not yet for long enough to be available.
  const starting = fc
    .record({ notReady: fc.nat({ max: wanted }), notAvailable: fc.nat({ max: wanted }) })
    .map(({ notReady, notAvailable }) => ({
      ...withMore(0),
      ready: wanted - notReady,
      available: Math.max(wanted - notReady - notAvailable, 0),
    }));
  const done = fc.constant(withMore(0));
  const scalingDown = fc.constant(withMore(1));
  return fc
    .oneof({ weight: 6, arbitrary: done }, scalingDown, starting, any)
    .map(({ replicas, labeled, ready, available }) => {
      const omitted = {
        fullyLabeledReplicas: labeled,
        readyReplicas: ready,
        availableReplicas: available,
      };
      return {
        replicas,
        ...Object.fromEntries(Object.entries(omitted).filter(([, value]) => value !== 0)),
      };
    });
}

/** The controller removes the condition when it succeeds; an aggregator or another controller may leave a False. */
const failures = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  fc
    .record({
      status: fc.constantFrom('True', 'True', 'False', 'Unknown'),
      reason: fc.constantFrom('FailedCreate', 'FailedDelete'),
      minute: fc.nat({ max: 5 }),
    })
    .map(({ status, reason, minute }) => ({
      type: 'ReplicaFailure',
      status,
      reason,
      message: `${reason} at ${minute}`,
      lastTransitionTime: `2025-11-01T10:0${minute}:00Z`,
    })),
);

/** ReplicaSets: starting, scaling, refused by a quota, scaled by an autoscaler in the WEC. */
export const REPLICA_SET: KindSets = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  served: { spec: SELECTING },
  readsGeneration: true,
  hasGeneration: true,
  literal: {
    numbers: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  },
  specs: fc.record({ replicas: fc.nat({ max: 5 }), image: fc.constant('v2') }),
  differingSpec: (spec) => fc.nat({ max: 6 }).map((replicas) => ({ ...spec, replicas })),
  scaledInWec: true,
  olderSpec: (spec) => ({ ...spec, image: 'v1' }),
  statuses: (spec) =>
    fc
      .record({ counters: countersFor(countAt(spec, 'replicas')), failure: failures })
      .map(({ counters, failure }) =>
        failure === undefined ? counters : { ...counters, conditions: [failure] },
      ),
};
