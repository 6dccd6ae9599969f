import type { JsonObject } from '#shared/core/json.ts';

/** What the controllers of a WEC say of everything. */
export type State = 'healthy' | 'progressing' | 'degraded';

interface Moment {
  readonly state: State;
  /** The object's own. */
  readonly generation: number;
  /** The number of the WEC: sizes and names differ. */
  readonly wec: number;
  /** RFC 3339 */
  readonly now: string;
  readonly before: string;
}

function condition(
  { now }: Moment,
  [type, status, reason]: readonly [type: string, status: string, reason: string],
): JsonObject {
  return { type, status, reason, message: `${type}: ${reason}`, lastTransitionTime: now };
}

function deployment(moment: Moment): JsonObject {
  const { state, generation, wec } = moment;
  const replicas = { replicas: 3, readyReplicas: 3, availableReplicas: 3 };
  const available = condition(moment, ['Available', 'True', 'MinimumReplicasAvailable']);
  const progressing = {
    healthy: condition(moment, ['Progressing', 'True', 'NewReplicaSetAvailable']),
    progressing: condition(moment, ['Progressing', 'True', 'ReplicaSetUpdated']),
    degraded: condition(moment, ['Progressing', 'False', 'ProgressDeadlineExceeded']),
  }[state];
  return {
    observedGeneration: generation,
    ...replicas,
    updatedReplicas: state === 'healthy' ? 3 : (wec % 2) + 1,
    conditions: [available, progressing],
  };
}

function statefulSet({ state, generation, wec }: Moment): JsonObject {
  const ready = state === 'healthy' ? 3 : 2;
  const updateRevision = `db-${wec}-${generation}`;
  return {
    observedGeneration: generation,
    replicas: 3,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: ready,
    updatedReplicas: ready,
    updateRevision,
    currentRevision: state === 'healthy' ? updateRevision : `db-${wec}-${generation - 1}`,
    collisionCount: 0,
  };
}

function daemonSet({ state, generation, wec }: Moment): JsonObject {
  const nodes = wec + 1;
  const ready = state === 'healthy' ? nodes : nodes - 1;
  return {
    observedGeneration: generation,
    desiredNumberScheduled: nodes,
    currentNumberScheduled: nodes,
    updatedNumberScheduled: ready,
    numberReady: ready,
    numberAvailable: ready,
    numberMisscheduled: 0,
    ...(ready < nodes ? { numberUnavailable: nodes - ready } : {}),
  };
}

function job(moment: Moment): JsonObject {
  const { state, now, before } = moment;
  const common = { startTime: before, ready: 0, terminating: 0, uncountedTerminatedPods: {} };
  if (state === 'progressing') return { ...common, active: 1, ready: 1 };
  if (state === 'degraded')
    return {
      ...common,
      failed: 1,
      conditions: [
        condition(moment, ['FailureTarget', 'True', 'BackoffLimitExceeded']),
        condition(moment, ['Failed', 'True', 'BackoffLimitExceeded']),
      ],
    };
  return {
    ...common,
    succeeded: 1,
    completionTime: now,
    conditions: [
      condition(moment, ['SuccessCriteriaMet', 'True', 'CompletionsReached']),
      condition(moment, ['Complete', 'True', 'CompletionsReached']),
    ],
  };
}

function cronJob({ state, wec, now, before }: Moment): JsonObject {
  const active = [
    { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: `report-${wec}` },
  ];
  if (state === 'healthy') return { lastScheduleTime: before, lastSuccessfulTime: now };
  const failed = { lastScheduleTime: now, lastSuccessfulTime: before };
  return state === 'degraded' ? failed : { ...failed, active };
}

function balancer({ state, wec }: Moment): JsonObject {
  return { loadBalancer: state === 'healthy' ? { ingress: [{ ip: `192.0.2.${wec}` }] } : {} };
}

function claim({ state }: Moment): JsonObject {
  if (state === 'healthy')
    return { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
  return { phase: state === 'degraded' ? 'Lost' : 'Pending' };
}

function autoscaler(moment: Moment): JsonObject {
  const { state, generation } = moment;
  const able = condition(moment, ['AbleToScale', 'True', 'ReadyForNewScale']);
  const conditions = {
    healthy: [able, condition(moment, ['ScalingActive', 'True', 'ValidMetricFound'])],
    progressing: [],
    degraded: [able, condition(moment, ['ScalingActive', 'False', 'FailedGetResourceMetric'])],
  }[state];
  return {
    observedGeneration: generation,
    currentReplicas: 3,
    desiredReplicas: 3,
    conditions,
  };
}

const STATUSES: Readonly<Record<string, (moment: Moment) => JsonObject>> = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  CronJob: cronJob,
  Service: balancer,
  Ingress: balancer,
  PersistentVolumeClaim: claim,
  HorizontalPodAutoscaler: autoscaler,
};

const SECONDS_BEFORE = 60;

/**
 * The status that a kind's controller would write now.
 *
 * @throws RangeError for a kind that is not here.
 */
export function statusOf(
  kind: string,
  state: State,
  { generation, wec }: { readonly generation: number; readonly wec: number },
): JsonObject {
  const rule = STATUSES[kind];
  if (rule === undefined) throw new RangeError(`no status of a ${kind}`);
  const time = (ago: number): string =>
    new Date(Date.now() - ago * 1000).toISOString().replace(/\.\d+Z/, 'Z');
  return rule({ state, generation, wec, now: time(0), before: time(SECONDS_BEFORE) });
}
