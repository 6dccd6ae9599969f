import type { JsonObject } from '#shared/core/json.ts';
import { SOURCE_GENERATION } from '#shared/core/status/returned-object.ts';

const REGIONS = {
  'ap-south': 5,
  'ap-southeast': 5,
  'eu-north': 5,
  'eu-west': 10,
  'us-east': 10,
  'us-west': 5,
} as const;

/** The names of the WECs by region. */
export const WECS: ReadonlyMap<string, string> = new Map(
  Object.entries(REGIONS).flatMap(([region, count]) =>
    Array.from({ length: count }, (_wec, index): readonly [string, string] => [
      `${region}-${String(index + 1).padStart(3, '0')}`,
      region,
    ]),
  ),
);

/** A workload object of the WDS. */
export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly spec: JsonObject;
  /** The status in a WEC where all is as asked. */
  readonly done: JsonObject;
}

/** The time of a status, RFC 3339 in whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The state of a Deployment in a WEC where that is not as asked. */
export interface Rollout {
  readonly ready: number;
  readonly updated: number;
  readonly observed?: number;
  readonly exceeded?: boolean;
}

function condition(
  [type, status, reason]: readonly [string, string, string],
  message: string,
): JsonObject {
  return { type, status, reason, message, lastTransitionTime: '2026-11-22T17:20:00Z' };
}

function available(isMet: boolean): JsonObject {
  return isMet
    ? condition(
        ['Available', 'True', 'MinimumReplicasAvailable'],
        'Deployment has minimum availability.',
      )
    : condition(
        ['Available', 'False', 'MinimumReplicasUnavailable'],
        'Deployment does not have minimum availability.',
      );
}

function progressing(name: string, { updated, ready, exceeded = false }: Rollout, wanted: number) {
  const set = `ReplicaSet "${name}-6d4cf56db6"`;
  if (exceeded)
    return condition(
      ['Progressing', 'False', 'ProgressDeadlineExceeded'],
      `${set} has timed out progressing.`,
    );
  return updated === wanted && ready === wanted
    ? condition(
        ['Progressing', 'True', 'NewReplicaSetAvailable'],
        `${set} has successfully progressed.`,
      )
    : condition(['Progressing', 'True', 'ReplicaSetUpdated'], `${set} is progressing.`);
}

/** The status of a Deployment, as its controller writes it. Counters that are 0 are absent. */
export function deploymentStatus(
  { name, generation, spec }: Pick<Workload, 'name' | 'generation' | 'spec'>,
  rollout: Rollout,
): JsonObject {
  const wanted = Number(spec['replicas']);
  const { ready, updated, observed = generation } = rollout;
  return {
    availableReplicas: ready,
    conditions: [available(ready * 4 >= wanted * 3 - 2), progressing(name, rollout, wanted)],
    observedGeneration: observed,
    readyReplicas: ready,
    replicas: wanted,
    ...(ready < wanted ? { unavailableReplicas: wanted - ready } : {}),
    updatedReplicas: updated,
  };
}

function template(name: string): JsonObject {
  const containers = [{ name, image: `example.com/${name}:v2` }];
  return {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  };
}

function deployment(path: string, replicas: number): Workload {
  const [namespace = '', name = ''] = path.split('/');
  const generation = 12;
  const spec = { replicas, ...template(name) };
  const done = deploymentStatus({ name, generation, spec }, { ready: replicas, updated: replicas });
  const kind = { apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments' };
  return { ...kind, namespace, name, generation, spec, done };
}

export const WEB = deployment('shop/web', 10);
export const CHECKOUT = deployment('payments/checkout', 6);
export const BACKUP = deployment('ops/backup', 1);
export const ORDERS: Workload = {
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', resource: 'statefulsets' },
  ...{ namespace: 'data', name: 'orders-db', generation: 8 },
  spec: { replicas: 3, serviceName: 'orders-db', ...template('orders-db') },
  done: {
    ...{ observedGeneration: 8, replicas: 3, readyReplicas: 3, availableReplicas: 3 },
    ...{ currentReplicas: 3, updatedReplicas: 3, currentRevision: 'orders-db-6f5' },
    ...{ updateRevision: 'orders-db-6f5', collisionCount: 0 },
  },
};
export const AGENT: Workload = {
  ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', resource: 'daemonsets' },
  ...{ namespace: 'kube-system', name: 'node-agent', generation: 7 },
  spec: template('node-agent'),
  done: {
    ...{ observedGeneration: 7, desiredNumberScheduled: 12, currentNumberScheduled: 12 },
    ...{ updatedNumberScheduled: 12, numberReady: 12, numberAvailable: 12, numberMisscheduled: 0 },
  },
};
export const MIGRATE: Workload = {
  ...{ apiVersion: 'batch/v1', kind: 'Job', resource: 'jobs' },
  ...{ namespace: 'data', name: 'migrate-2026-11', generation: 1 },
  spec: template('migrate'),
  done: {
    succeeded: 1,
    ready: 0,
    terminating: 0,
    startTime: '2026-11-22T16:30:00Z',
    completionTime: '2026-11-22T16:34:10Z',
    conditions: [
      condition(['SuccessCriteriaMet', 'True', 'CompletionsReached'], ''),
      condition(['Complete', 'True', 'CompletionsReached'], ''),
    ],
  },
};

/** Everything that the Binding sends to all WECs. */
export const WORKLOADS: readonly Workload[] = [
  ...[WEB, CHECKOUT, BACKUP, ORDERS, AGENT, MIGRATE],
  deployment('search/indexer', 2),
  deployment('search/query', 12),
  {
    ...{ apiVersion: 'v1', kind: 'Service', resource: 'services' },
    ...{ namespace: 'shop', name: 'web', generation: 0 },
    spec: { type: 'ClusterIP', selector: { app: 'web' }, ports: [{ port: 80 }] },
    done: { loadBalancer: {} },
  },
];

const CREATED = '2026-10-23T08:00:00Z';

function labelled(
  { apiVersion, kind, resource, namespace, name, generation, spec }: Workload,
  cluster: string,
) {
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ namespace, name, generation, labels: { app: name }, creationTimestamp: CREATED },
      uid: `${cluster}-${resource}-${namespace}-${name}`,
    },
    spec,
  };
}

/** The object in the WDS. */
export function wdsObject(workload: Workload): JsonObject {
  return labelled(workload, 'wds1');
}

/** The object in a WEC, whose status was written at a time. */
export function wecObject(
  workload: Workload,
  wec: string,
  { status, ms }: { readonly status: JsonObject; readonly ms: number },
): JsonObject {
  const object = labelled(workload, wec);
  const managedFields = [
    {
      ...{ manager: 'kube-controller-manager', operation: 'Update', subresource: 'status' },
      ...{ apiVersion: workload.apiVersion, time: timeText(ms), fieldsType: 'FieldsV1' },
      fieldsV1: { 'f:status': {} },
    },
  ];
  const annotations = { [SOURCE_GENERATION]: String(workload.generation) };
  return { ...object, metadata: { ...object.metadata, annotations, managedFields }, status };
}

/** The labels of a WEC, in the inventory. */
export function managedCluster(name: string, region: string): JsonObject {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, uid: `uid-${name}`, labels: { region, tier: 'prod', provider: 'metal' } },
    spec: {},
  };
}
