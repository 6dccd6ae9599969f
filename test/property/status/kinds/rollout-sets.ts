import fc from 'fast-check';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { WORKLOAD_GENERATION } from '#shared/core/health/rollout.ts';
import { type ArgoCdStatus, type ArgoCdVersion, worst } from '#shared/core/health/verdict.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { KindSets, KnownWec } from '#test/property/status/kind-sets.ts';
import { withoutStatus } from './pod-sets.ts';

const time = fc.integer({ min: 0, max: 5 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);

function conditionOf(type: string, ...said: readonly (readonly [string, string])[]) {
  return fc.tuple(fc.constantFrom(...said), time).map(
    ([[status, reason], at]): JsonObject => ({
      type,
      status,
      reason,
      message: `${reason}.`,
      lastTransitionTime: at,
      lastUpdateTime: at,
    }),
  );
}

function sometimes<T>(arbitrary: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: weight });
}

const conditions = fc
  .tuple(
    conditionOf(
      'Progressing',
      ['True', 'NewReplicaSetAvailable'],
      ['True', 'NewReplicaSetAvailable'],
      ['True', 'ReplicaSetUpdated'],
      ['Unknown', 'RolloutPaused'],
      ['False', 'ProgressDeadlineExceeded'],
      ['False', 'RolloutAborted'],
    ),
    sometimes(conditionOf('Available', ['True', 'AvailableReason'], ['False', 'Available']), 4),
    sometimes(conditionOf('Paused', ['True', 'RolloutPaused'], ['False', 'RolloutPaused']), 2),
    sometimes(conditionOf('Healthy', ['True', 'RolloutHealthy'], ['False', 'RolloutHealthy']), 2),
    sometimes(conditionOf('Completed', ['True', 'RolloutCompleted'], ['False', 'Renewed']), 2),
    fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      conditionOf('InvalidSpec', ['True', 'InvalidSpec']),
    ),
  )
  .map((entries): JsonObject[] => entries.filter((entry) => entry !== undefined));

/** As `strconv.Itoa` writes them, but counters that are 0 are left out. */
const counters = fc
  .record({
    replicas: fc.nat({ max: 4 }),
    updatedReplicas: fc.constantFrom(2, 2, 2, 0, 3),
    readyReplicas: fc.nat({ max: 4 }),
    availableReplicas: fc.constantFrom(2, 2, 2, 1),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0)));

/** Phase and message as Argo Rollouts has written them since 1.0, and a phase that Argo CD does not know. */
const said = fc.oneof(
  { weight: 8, arbitrary: fc.constant<JsonObject>({ phase: 'Healthy' }) },
  {
    weight: 2,
    arbitrary: fc.constant<JsonObject>({ phase: 'Paused', message: 'CanaryPauseStep' }),
  },
  fc.constantFrom<JsonObject>(
    { phase: 'Progressing', message: 'more replicas need to be updated' },
    { phase: 'Degraded', message: 'RolloutAborted: aborted' },
    { phase: 'Degraded', message: 'InvalidSpec: no template' },
    { phase: 'Analysing' },
    { phase: 'Unknown' },
  ),
);

/** What earlier releases have written: no phase, and as a generation maybe a hash, of digits or not. */
const unsaid = fc.record<JsonObject>({
  stable: fc.constantFrom<JsonObject>({ stableRS: 'abc' }, { canary: { stableRS: 'abc' } }, {}),
  hash: fc.constantFrom<JsonObject>({ currentPodHash: 'abc' }, { currentPodHash: 'abc' }, {}),
  paused: fc.constantFrom<JsonObject>(
    {},
    {},
    { pauseConditions: [{ reason: 'CanaryPauseStep', startTime: '2025-11-01T10:00:00Z' }] },
  ),
  active: fc.constantFrom<JsonObject>({ blueGreen: { activeSelector: 'abc' } }, {}),
  generation: fc.constantFrom<JsonObject>(
    {},
    { observedGeneration: '58b949649c' },
    { observedGeneration: '8575574967' },
  ),
});

const statuses = fc
  .record({
    counters,
    list: conditions,
    told: fc.oneof(
      { weight: 9, arbitrary: said },
      unsaid.map((parts) => Object.assign({}, ...Object.values(parts))),
    ),
  })
  .map(
    ({ counters: numbers, list, told }): JsonObject => ({
      ...numbers,
      ...told,
      conditions: list,
      HPAReplicas: 2,
      selector: 'app=web',
    }),
  );

const specs = fc.record<JsonObject>({
  replicas: fc.constantFrom(2, 2, 3),
  strategy: fc.constantFrom<JsonObject>(
    { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
    { blueGreen: { activeService: 'web' } },
  ),
  template: fc.constant({ image: 'v2' }),
});

const COUNT = { type: 'integer', format: 'int32' };
const TEXT = { type: 'string' };

/** As the CustomResourceDefinition of Argo Rollouts has it (`crds/rollout-crd.yaml`), as far as the rule writes it. */
const STATUS_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    replicas: COUNT,
    updatedReplicas: COUNT,
    readyReplicas: COUNT,
    availableReplicas: COUNT,
    observedGeneration: TEXT,
    workloadObservedGeneration: TEXT,
    phase: TEXT,
    message: TEXT,
    conditions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message', 'reason', 'status', 'type'],
        properties: {
          type: TEXT,
          status: TEXT,
          reason: TEXT,
          message: TEXT,
          lastTransitionTime: { type: 'string', format: 'date-time' },
          lastUpdateTime: { type: 'string', format: 'date-time' },
        },
      },
    },
  },
};

/** Rollouts of Argo Rollouts: done, paused at a step, aborted, not seen yet; some of releases before 1.0. */
export const ROLLOUT: KindSets = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  served: { spec: {}, status: STATUS_SCHEMA },
  readsGeneration: true,
  generationIsText: true,
  hasGeneration: true,
  literal: {
    numbers: ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'],
  },
  specs,
  differingSpec: (spec) => fc.nat({ max: 4 }).map((replicas) => ({ ...spec, replicas })),
  scaledInWec: true,
  olderSpec: (spec) => ({ ...spec, template: { image: 'v1' } }),
  statuses: () => statuses,
  unavoidable: withoutStatus,
};

/** A WEC's verdict, if its controller had observed the last change of the Deployment. */
function verdictWithout({ object, current }: KnownWec, version: ArgoCdVersion): ArgoCdStatus {
  if (!current || object === undefined) return 'Progressing';
  const observed = at(object, 'status', 'workloadObservedGeneration') ?? null;
  const annotations = { [WORKLOAD_GENERATION]: observed };
  const metadata = { ...(object['metadata'] as JsonObject), annotations };
  return assessArgoCd({ ...object, metadata }, version)?.status ?? 'Unknown';
}

/** Rollouts of the pods of a Deployment, whose generation the controller in a WEC writes into an annotation there. */
export const REFERRING_ROLLOUT: KindSets = {
  ...ROLLOUT,
  annotations: fc.constantFrom<JsonObject>({}, { owner: 'shop' }, { [WORKLOAD_GENERATION]: '7' }),
  ownAnnotations: fc.constant({ [WORKLOAD_GENERATION]: '3' }),
  specs: specs.map(({ template: _none, ...spec }) => ({
    ...spec,
    workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    revisionHistoryLimit: 2,
  })),
  olderSpec: (spec) => ({ ...spec, revisionHistoryLimit: 1 }),
  // What waits for a change of its Deployment looks done otherwise.
  statuses: () =>
    fc.tuple(statuses, fc.nat({ max: 19 })).map(([status, one]): JsonObject => {
      const seen = { ...status, workloadObservedGeneration: '3' };
      return one === 0 ? { ...seen, phase: 'Healthy', workloadObservedGeneration: '2' } : seen;
    }),
  unavoidable(set, verdicts) {
    const reason = withoutStatus(set, verdicts);
    if (reason !== undefined) return reason;
    const { version, found } = verdicts;
    return found === worst(set.wecs.map((wec) => verdictWithout(wec, version)))
      ? 'a WEC has not observed the last change of its Deployment: only an annotation there shows that'
      : undefined;
  },
};
