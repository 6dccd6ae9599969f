import fc from 'fast-check';
import { countAt } from '#shared/core/health/count-at.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { KindSet, KindSets } from '#test/property/status/kind-sets.ts';
import { SELECTING } from './served-specs.ts';

const time = fc.integer({ min: 0, max: 5 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);

function conditionOf(type: string, pairs: readonly (readonly [string, string])[]) {
  return fc.option(
    fc.record({ pair: fc.constantFrom(...pairs), at: time }).map(
      ({ pair: [status, reason], at }): JsonObject => ({
        type,
        status,
        reason,
        message: `${reason}.`,
        lastTransitionTime: at,
        lastUpdateTime: at,
      }),
    ),
    { nil: undefined },
  );
}

const conditions = fc
  .tuple(
    conditionOf('Progressing', [
      ['False', 'ProgressDeadlineExceeded'],
      ['True', 'ProgressDeadlineExceeded'],
      ['True', 'NewReplicaSetAvailable'],
      ['True', 'ReplicaSetUpdated'],
      ['False', 'ReplicaSetCreateError'],
      ['Unknown', 'DeploymentResumed'],
    ]),
    conditionOf('Available', [
      ['True', 'MinimumReplicasAvailable'],
      ['False', 'MinimumReplicasUnavailable'],
    ]),
    conditionOf('ReplicaFailure', [
      ['True', 'FailedCreate'],
      ['False', 'Recovered'],
    ]),
  )
  .map((entries) => entries.filter((entry) => entry !== undefined))
  .filter(
    // Most sets have no failure, so that other troubles show.
    (entries) => entries.length < 3,
  );

/** Counters that an API server accepts; half of them are those of a finished rollout. */
function countersFor(wanted: number): fc.Arbitrary<JsonObject> {
  const any = fc
    .record({
      replicas: fc.nat({ max: 8 }),
      updated: fc.nat({ max: 8 }),
      ready: fc.nat({ max: 8 }),
      available: fc.nat({ max: 8 }),
    })
    .map((raw) => {
      const ready = Math.min(raw.ready, raw.replicas);
      return {
        replicas: raw.replicas,
        updated: Math.min(raw.updated, raw.replicas),
        ready,
        available: Math.min(raw.available, ready),
      };
    });
  const done = fc.constant({ replicas: wanted, updated: wanted, ready: wanted, available: wanted });
  const near = fc.nat({ max: 1 }).map((missing) => ({
    replicas: wanted + 1,
    updated: wanted + 1,
    ready: wanted + 1,
    available: wanted + 1 - missing,
  }));
  return fc.oneof({ weight: 6, arbitrary: done }, near, any, any).map((counts) => {
    const all = {
      replicas: counts.replicas,
      updatedReplicas: counts.updated,
      readyReplicas: counts.ready,
      availableReplicas: counts.available,
      unavailableReplicas: Math.max(wanted - counts.available, 0),
    };
    return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0));
  });
}

const collisions = fc.nat({ max: 2 }).map((collisionCount) => ({ collisionCount }));

function isPausedInWds({ workload }: KindSet): boolean {
  return at(workload, 'spec', 'paused') === true;
}

/** Deployments: rollouts in every state, deadlines that passed, WECs that an autoscaler has scaled. */
export const DEPLOYMENT: KindSets = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  served: { spec: SELECTING },
  readsGeneration: true,
  hasGeneration: true,
  literal: {
    numbers: [
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
    ],
  },
  specs: fc.record({ replicas: fc.nat({ max: 5 }), image: fc.constant('v2') }),
  differingSpec: (spec) => fc.nat({ max: 6 }).map((replicas) => ({ ...spec, replicas })),
  scaledInWec: true,
  olderSpec: (spec) => ({ ...spec, image: 'v1' }),
  statuses: (spec) =>
    fc
      .record({
        counters: countersFor(countAt(spec, 'replicas')),
        entries: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, conditions),
        collisions: fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, collisions),
      })
      .map(({ counters, entries, collisions: told }) => ({
        ...counters,
        ...told,
        ...(entries.length === 0 ? {} : { conditions: entries }),
      })),
  unavoidable: (set, { found }) =>
    isPausedInWds(set) && found === 'Suspended'
      ? 'the object in the WDS is paused: Suspended, whatever its status says'
      : undefined,
};

/** Deployments, some of them paused: in the WDS, or in a WEC alone. */
export const PAUSED_DEPLOYMENT: KindSets = {
  ...DEPLOYMENT,
  specs: fc
    .tuple(DEPLOYMENT.specs, fc.boolean())
    .map(([spec, paused]) => (paused ? { ...spec, paused } : spec)),
  scaledInWec: false,
  differingSpec: (spec) => fc.boolean().map((paused) => ({ ...spec, paused })),
  unavoidable(set, verdicts) {
    const { expected, found } = verdicts;
    const reason = DEPLOYMENT.unavoidable?.(set, verdicts);
    const isPausedInWec = set.wecs.some(({ object }) => at(object, 'spec', 'paused') === true);
    return isPausedInWec && expected === 'Suspended' && found === 'Progressing'
      ? 'a WEC is paused on its own: no status of an object that is not paused is Suspended'
      : reason;
  },
};
