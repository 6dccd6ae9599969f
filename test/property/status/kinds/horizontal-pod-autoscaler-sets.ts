import fc from 'fast-check';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import { type ArgoCdStatus, worst } from '#shared/core/health/verdict.ts';
import { at, isArray, isObject, type JsonObject } from '#shared/core/json.ts';
import type { KindSet, KindSets } from '#test/property/status/kind-sets.ts';

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

const SERVED = {
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 9,
  },
};

/** API servers take a second entry of a type, one without a type or a reason, and a type that every object has. */
const odd = fc.oneof(
  able,
  active,
  limited,
  entryOf('', [['True', 'SucceededGetScale']]),
  entryOf('AbleToScale', [['True', '']]),
  entryOf('constructor', [['constructor', 'toString']]),
);

/** In the order in which Kubernetes adds them, or in another: patches may reorder a list. */
const conditions = fc
  .tuple(
    fc.option(able, { nil: undefined, freq: 9 }),
    fc.option(active, { nil: undefined }),
    fc.option(limited, { nil: undefined }),
    fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, odd),
  )
  .map((entries) => entries.filter((entry) => entry !== undefined))
  .chain((entries) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(entries) },
      fc.shuffledSubarray(entries, { minLength: entries.length }),
    ),
  );

/** The rule goes by Argo CD 3 for the older API versions, too, which that does not know: the object is one in all. */
function verdictOn(object: JsonObject | undefined, version: ArgoCdVersion): ArgoCdStatus {
  const inV2 = { ...object, apiVersion: 'autoscaling/v2' };
  return assessArgoCd(inV2, version)?.status ?? 'Progressing';
}

function worstOf(wecs: KindSet['wecs'], version: ArgoCdVersion): ArgoCdStatus {
  return worst(wecs.map(({ object }) => verdictOn(object, version)));
}

function entriesIn({ object }: KindSet['wecs'][number]): readonly JsonObject[] {
  const isGone = at(object, 'metadata', 'deletionTimestamp') !== undefined;
  const list = isGone ? undefined : at(object, 'status', 'conditions');
  return isArray(list) ? list.filter((entry) => isObject(entry)) : [];
}

/**
 * What an aggregate may say of one type, each as a list of one entry, or of none where no WEC has one: the reason of any
 * WEC; True where each WEC says so (of ScalingLimited where any does), something else unless all say nothing else.
 */
function sayable(type: string, lists: readonly (readonly JsonObject[])[]) {
  const own = lists.map((list) => list.filter((entry) => entry['type'] === type));
  const truths = own.map((list) => list.map(({ status }) => status === 'True'));
  const mayBeTrue =
    truths.every((list) => list.includes(true)) ||
    (type === 'ScalingLimited' && truths.flat().includes(true));
  const mustBeTrue = truths.every((list) => list.length > 0 && !list.includes(false));
  const statuses = [...(mayBeTrue ? ['True'] : []), ...(mustBeTrue ? [] : ['Unknown'])];
  const reasons = new Set(own.flat().map(({ reason = '' }) => reason));
  const entries = [...reasons].flatMap((reason) =>
    statuses.map((status): readonly JsonObject[] => [{ type, status, reason }]),
  );
  return entries.length === 0 ? [[]] : entries;
}

const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** Whether any list of conditions that says no more than the WECs is the worst of them to both versions of Argo CD. */
function canBeTheWorst({ workload, wecs }: KindSet): boolean {
  const lists = wecs.map(entriesIn);
  const expected = (['2.14', '3'] as const).map(
    (version) => [version, worstOf(wecs, version)] as const,
  );
  const [ables = [], actives = [], limiteds = []] = [
    'AbleToScale',
    'ScalingActive',
    'ScalingLimited',
  ].map((type) => sayable(type, lists));
  const said = ables.flatMap((one) =>
    actives.flatMap((two) => limiteds.map((three) => [one, two, three])),
  );
  return said.some((parts) =>
    ORDERS.some((order) => {
      const list = order.flatMap((index) => parts[index] ?? []);
      const object = { ...workload, status: { conditions: list } };
      return expected.every(([version, verdict]) => verdictOn(object, version) === verdict);
    }),
  );
}

/** Autoscalers of autoscaling/v2: able to scale or not, limited, with all failures of both versions of Argo CD. */
export const HORIZONTAL_POD_AUTOSCALER: KindSets = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  served: SERVED,
  readsGeneration: false,
  hasGeneration: false,
  literal: { numbers: ['currentReplicas', 'desiredReplicas'] },
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
  unavoidable: (set, { version, comparison }) =>
    version === '2.14' && comparison === 'worse' && !canBeTheWorst(set)
      ? 'Argo CD 2.14 overlooks a failure in a WEC that no list could say to Argo CD 3 and hide from it'
      : undefined,
};

const CONDITIONS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/conditions';
const annotations = conditions.map((list) => ({ [CONDITIONS_ANNOTATION]: JSON.stringify(list) }));

/** Autoscalers of autoscaling/v1, whose conditions stand in an annotation. */
export const HORIZONTAL_POD_AUTOSCALER_V1: KindSets = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  served: SERVED,
  readsGeneration: false,
  hasGeneration: false,
  literal: {
    numbers: ['currentReplicas', 'desiredReplicas', 'currentCPUUtilizationPercentage'],
  },
  specs: fc.constant({ maxReplicas: 4 }),
  annotations,
  ownAnnotations: annotations,
  statuses: () =>
    fc.record({
      currentReplicas: fc.nat({ max: 4 }),
      desiredReplicas: fc.nat({ max: 4 }),
      currentCPUUtilizationPercentage: fc.nat({ max: 100 }),
    }),
  unavoidable: ({ workload }, { version, found }) =>
    found === assessArgoCd(workload, version)?.status
      ? 'Argo CD reads an annotation of the object in the WDS, whatever its status says'
      : undefined,
};
