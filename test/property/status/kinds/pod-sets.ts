import fc from 'fast-check';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { KindSet, KindSets, Verdicts } from '#test/property/status/kind-sets.ts';
import { POD_SPEC } from './served-specs.ts';

const POLICIES = ['Always', 'OnFailure', 'Never'] as const;

const time = fc.integer({ min: 0, max: 5 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);

const waiting: fc.Arbitrary<JsonObject> = fc
  .record({
    reason: fc.constantFrom(
      'ContainerCreating',
      'PodInitializing',
      'CrashLoopBackOff',
      'ImagePullBackOff',
      'ErrImagePull',
      'CreateContainerConfigError',
    ),
    message: fc.constantFrom('', 'back-off restarting'),
  })
  .map(({ reason, message }) => ({
    waiting: message === '' ? { reason } : { reason, message },
  }));

const running = fc.constant<JsonObject>({ running: { startedAt: '2025-11-01T10:00:00Z' } });

const TIMES = { startedAt: '2025-11-01T10:00:00Z', finishedAt: '2025-11-01T10:01:00Z' };

const terminated: fc.Arbitrary<JsonObject> = fc
  .constantFrom<JsonObject[]>(
    { exitCode: 0, reason: 'Completed' },
    { exitCode: 1, reason: 'Error' },
    { exitCode: 137, reason: 'OOMKilled' },
    { exitCode: 2, reason: 'Error', message: 'no disk' },
  )
  .map((end) => ({ terminated: { ...end, ...TIMES } }));

const ended = fc.constant<JsonObject>({
  terminated: { exitCode: 0, reason: 'Completed', ...TIMES },
});
const never = fc.constant<JsonObject>({});

interface States {
  readonly state: fc.Arbitrary<JsonObject>;
  readonly lastState: fc.Arbitrary<JsonObject>;
}

/** One or two containers, with the fields that an API server requires. */
function containers({ state, lastState }: States): fc.Arbitrary<readonly JsonObject[]> {
  const one = (name: string): fc.Arbitrary<JsonObject> =>
    fc.record({ state, lastState, ready: fc.boolean() }).map((own) => ({
      ...own,
      name,
      image: 'example.com/server:v1',
      imageID: '',
      restartCount: 'terminated' in own.lastState ? 1 : 0,
    }));
  return fc.oneof(
    one('c').map((container) => [container]),
    fc.tuple(one('c'), one('sidecar')).map((both) => both),
  );
}

/** The conditions of a Pod; Ready is absent where its status is. */
function conditions(ready: string | undefined): fc.Arbitrary<readonly JsonObject[]> {
  return fc.tuple(time, time).map(([scheduledAt, readyAt]) => {
    const scheduled = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: scheduledAt,
    };
    if (ready === undefined) return [scheduled];
    const reason = ready === 'True' ? {} : { reason: 'ContainersNotReady' };
    const times = { lastProbeTime: null, lastTransitionTime: readyAt };
    return [scheduled, { type: 'Ready', status: ready, ...reason, ...times }];
  });
}

interface Phase {
  readonly phase: string | undefined;
  readonly ready: string | undefined;
  readonly message?: string;
  readonly states?: States;
}

function statusIn({ phase, ready, message, states }: Phase): fc.Arbitrary<JsonObject> {
  const lists = states === undefined ? fc.constant([]) : containers(states);
  return fc.tuple(conditions(ready), lists, fc.boolean()).map(([entries, list, hasInit]) => ({
    ...(phase === undefined ? {} : { phase }),
    ...(message === undefined ? {} : { message }),
    conditions: entries,
    ...(list.length === 0 ? {} : { containerStatuses: list }),
    ...(hasInit && list.length > 0 ? { initContainerStatuses: list.slice(0, 1) } : {}),
    qosClass: 'BestEffort',
  }));
}

const fresh = { state: running, lastState: never };
const restarted = { state: running, lastState: terminated };
const waits = { state: waiting, lastState: never };
const waitsAgain = { state: waiting, lastState: terminated };
const over = { state: terminated, lastState: never };

const anyStatus = fc
  .record({
    phase: fc.constantFrom('Pending', 'Running', 'Failed', 'Unknown', undefined),
    ready: fc.constantFrom('True', 'False', 'Unknown', undefined),
    state: fc.constantFrom(waiting, running, terminated),
    lastState: fc.constantFrom(never, terminated),
  })
  .chain(({ phase, ready, state, lastState }) =>
    statusIn({ phase, ready, states: { state, lastState } }),
  );

/** Healthy Pods, that run or have succeeded, meet others in every phase. */
const statuses: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 10, arbitrary: statusIn({ phase: 'Running', ready: 'True', states: fresh }) },
  {
    weight: 6,
    arbitrary: statusIn({
      phase: 'Succeeded',
      ready: 'False',
      states: { state: ended, lastState: never },
    }),
  },
  { weight: 2, arbitrary: statusIn({ phase: 'Running', ready: 'True', states: restarted }) },
  statusIn({ phase: 'Running', ready: 'False', states: fresh }),
  statusIn({ phase: 'Running', ready: undefined, states: fresh }),
  statusIn({ phase: 'Running', ready: 'False', states: restarted }),
  statusIn({ phase: 'Running', ready: 'False', states: waitsAgain }),
  statusIn({ phase: 'Pending', ready: undefined }),
  statusIn({ phase: 'Pending', ready: 'False', states: waits }),
  statusIn({ phase: 'Failed', ready: 'False', states: over }),
  statusIn({ phase: 'Failed', ready: undefined, message: 'The node was low on resource.' }),
  anyStatus,
);

function policyIn(object: JsonObject | undefined): unknown {
  return at(object, 'spec', 'restartPolicy');
}

/** Why nothing but Unknown can be said of a kind whose status may not be empty. */
export function withoutStatus({ wecs }: KindSet, { found }: Verdicts): string | undefined {
  return found === 'Unknown' && wecs.every(({ object }) => at(object, 'status') === undefined)
    ? 'no WEC has returned a status, so there is none: Unknown, where a missing WEC is Progressing'
    : undefined;
}

/** Pods of any restart policy, which a WEC may have changed. */
export const POD: KindSets = {
  apiVersion: 'v1',
  kind: 'Pod',
  served: { spec: POD_SPEC },
  readsGeneration: false,
  hasGeneration: false,
  literal: { numbers: [], types: ['Ready'] },
  specs: fc.record({ restartPolicy: fc.constantFrom(...POLICIES) }),
  differingSpec: () => fc.record({ restartPolicy: fc.constantFrom(...POLICIES) }),
  missingStatus: { phase: 'Pending' },
  statuses: () => statuses,
  unavoidable(set, verdicts) {
    const reason = withoutStatus(set, verdicts);
    if (reason !== undefined) return reason;
    const { expected, found } = verdicts;
    const isHealthyInWecs = expected === 'Healthy' && found === 'Progressing';
    if (policyIn(set.workload) === 'Always' || !isHealthyInWecs) return undefined;
    const runsForEver = set.wecs.some(
      ({ object }) => policyIn(object) === 'Always' && at(object, 'status', 'phase') === 'Running',
    );
    return runsForEver
      ? 'a WEC runs for ever what is to end in the WDS: no status of a running Pod is Healthy there'
      : undefined;
  },
};

const ignoresPolicy = { 'argocd.argoproj.io/ignore-restart-policy': 'true' };

/** Pods that Argo CD 3, but not 2.14, may judge as if they ran for ever, whatever their restart policy. */
export const ANNOTATED_POD: KindSets = {
  apiVersion: POD.apiVersion,
  kind: POD.kind,
  served: { spec: POD_SPEC },
  readsGeneration: false,
  hasGeneration: false,
  literal: { numbers: [], types: ['Ready'] },
  specs: POD.specs,
  annotations: fc.constantFrom<JsonObject[]>(
    ignoresPolicy,
    { ...ignoresPolicy, 'argocd.argoproj.io/hook': 'PostSync' },
    { ...ignoresPolicy, 'argocd.argoproj.io/hook': 'Skip' },
  ),
  missingStatus: { phase: 'Pending' },
  statuses: POD.statuses,
  unavoidable: withoutStatus,
};
