import fc from 'fast-check';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { worst } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';

const time = fc.integer({ min: 0, max: 5 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);

type Said = readonly [status: string, reason: string];

function entryOf(type: string, said: readonly Said[]): fc.Arbitrary<JsonObject> {
  return fc.tuple(fc.constantFrom(...said), time).map(([[status, reason], at]) => ({
    type,
    status,
    reason,
    message: `${reason}.`,
    lastTransitionTime: at,
  }));
}

const ABLE: readonly Said[] = [
  ['True', 'SucceededGetScale'],
  ['True', 'SucceededRescale'],
  ['True', 'ReadyForNewScale'],
];
const able = fc.oneof(
  { weight: 10, arbitrary: entryOf('AbleToScale', ABLE) },
  entryOf('AbleToScale', [
    ['False', 'FailedGetScale'],
    ['False', 'FailedUpdateScale'],
  ]),
  { weight: 2, arbitrary: entryOf('AbleToScale', [['False', 'BackoffBoth']]) },
);
const active = fc.oneof(
  { weight: 8, arbitrary: entryOf('ScalingActive', [['True', 'ValidMetricFound']]) },
  entryOf('ScalingActive', [['False', 'ScalingDisabled']]),
  entryOf('ScalingActive', [
    ['False', 'FailedGetResourceMetric'],
    ['False', 'InvalidSelector'],
    ['False', 'FailedGetObjectMetric'],
    ['False', 'FailedComputeMetricsReplicas'],
  ]),
);
const limited = entryOf('ScalingLimited', [
  ['False', 'DesiredWithinRange'],
  ['True', 'TooManyReplicas'],
  ['True', 'TooFewReplicas'],
]);

/** In the order in which Kubernetes adds them, or in another: patches may reorder a list. */
const conditions = fc
  .tuple(
    fc.option(able, { nil: undefined, freq: 9 }),
    fc.option(active, { nil: undefined }),
    fc.option(limited, { nil: undefined }),
  )
  .map((entries) => entries.filter((entry) => entry !== undefined))
  .chain((entries) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(entries) },
      fc.shuffledSubarray(entries, { minLength: entries.length }),
    ),
  );

/** Autoscalers of autoscaling/v2: able to scale or not, limited, with all failures of both versions of Argo CD. */
export const HORIZONTAL_POD_AUTOSCALER: KindSets = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  readsGeneration: false,
  hasGeneration: false,
  specs: fc.constant({ minReplicas: 2, maxReplicas: 4 }),
  differingSpec: (spec) => fc.constantFrom(5, 6).map((maxReplicas) => ({ ...spec, maxReplicas })),
  statuses: () =>
    fc
      .record({
        currentReplicas: fc.nat({ max: 4 }),
        desiredReplicas: fc.nat({ max: 4 }),
        list: conditions,
      })
      .map(({ list, ...counters }) => ({
        ...counters,
        currentMetrics: null,
        ...(list.length === 0 ? {} : { conditions: list }),
      })),
  unavoidable({ wecs }, version, comparison) {
    const [older, newer] = (['2.14', '3'] as const).map((one) =>
      worst(wecs.map(({ object = {} }) => assessArgoCd(object, one)?.status ?? 'Progressing')),
    );
    return version === '2.14' && comparison === 'worse' && older !== newer
      ? 'Argo CD 2.14 overlooks a failure in a WEC, which stands first in the aggregate, as Argo CD 3 judges it'
      : undefined;
  },
};

/** Autoscalers of autoscaling/v1, whose conditions stand in an annotation. */
export const HORIZONTAL_POD_AUTOSCALER_V1: KindSets = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  readsGeneration: false,
  hasGeneration: false,
  specs: fc.constant({ maxReplicas: 4 }),
  annotations: conditions.map((list) => ({
    'autoscaling.alpha.kubernetes.io/conditions': JSON.stringify(list),
  })),
  statuses: () =>
    fc.record({
      currentReplicas: fc.nat({ max: 4 }),
      desiredReplicas: fc.nat({ max: 4 }),
      currentCPUUtilizationPercentage: fc.nat({ max: 100 }),
    }),
  unavoidable: () =>
    'Argo CD reads an annotation of the object in the WDS, whatever its status says',
};
