import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { RECORDED, recorded } from './recorded-deployment.ts';

/** Makes the JSON text of an object from its number, and from a number that is another one after each change. */
export type ObjectText = (index: number, counter: number) => string;

const CONTAINERS = ['web', 'proxy', 'metrics'];
const VARIABLES = 10;
/** In a template, these stand where index and counter go; the latter as a number. */
const INDEX = '@INDEX@';
const COUNTER = 987_654_321;

function container(name: string): JsonObject {
  const env = Array.from({ length: VARIABLES }, (_value, number) => ({
    name: `${name.toUpperCase()}_SETTING_${number}`,
    value: `value-of-setting-${number}`,
  }));
  const probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10 };
  return {
    name,
    image: `registry.example.com/team/${name}:1.2.3`,
    env,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    livenessProbe: probe,
    readinessProbe: probe,
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

/** The fields of a value as managedFields name them (structured merge and diff, fieldsV1). */
function fieldsOf(value: JsonValue): JsonObject {
  if (isArray(value))
    return Object.fromEntries(
      value.filter(isObject).map((entry) => {
        const key = JSON.stringify({ name: entry['name'] ?? entry['type'] ?? '' });
        return [`k:${key}`, { '.': {}, ...fieldsOf(entry) }];
      }),
    );
  if (!isObject(value)) return {};
  const fields = Object.entries(value).map(([name, member]) => [
    `f:${name}`,
    fieldsOf(member ?? null),
  ]);
  return Object.fromEntries(fields);
}

function managedFields(spec: JsonObject, status: JsonObject): JsonValue {
  const entry = { apiVersion: 'apps/v1', fieldsType: 'FieldsV1', time: '2026-11-21T09:13:45Z' };
  const labels = { 'f:metadata': { 'f:labels': { 'f:app': {} } } };
  return [
    {
      ...entry,
      manager: 'work-agent',
      operation: 'Apply',
      fieldsV1: { ...labels, 'f:spec': fieldsOf(spec) },
    },
    {
      ...entry,
      manager: 'kube-controller-manager',
      operation: 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': fieldsOf(status) },
    },
  ];
}

function textOf(template: JsonObject): ObjectText {
  const parts = JSON.stringify(template)
    .split(INDEX)
    .map((part) => part.split(String(COUNTER)));
  return (index, counter) => parts.map((part) => part.join(String(counter))).join(String(index));
}

/**
 * Deployments as a WEC has them: three containers, managedFields, a status with conditions; some 9 KB.
 *
 * @param metadata more of it
 */
export function deploymentText(metadata: JsonObject = {}): ObjectText {
  const spec = recorded('spec');
  const template = {
    metadata: { labels: { app: `web-${INDEX}` } },
    spec: { containers: CONTAINERS.map(container), restartPolicy: 'Always' },
  };
  const own = { ...spec, template };
  const status = { ...recorded('status'), availableReplicas: COUNTER };
  return textOf({
    ...RECORDED,
    metadata: {
      name: `web-${INDEX}`,
      namespace: 'shop',
      uid: `411919fa-57b7-4372-8390-${INDEX}`,
      resourceVersion: String(COUNTER),
      generation: 3,
      creationTimestamp: '2026-11-21T09:12:15Z',
      labels: { app: `web-${INDEX}` },
      annotations: { 'deployment.kubernetes.io/revision': '2' },
      managedFields: managedFields(own, status),
      ...metadata,
    },
    spec: own,
    status,
  });
}

/** Deployments that OCM's agent has applied, each for a work of its own: that of {@link appliedWorkText}. */
export function ownedDeploymentText(): ObjectText {
  const owner = {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'AppliedManifestWork',
    name: `hub-work-${INDEX}`,
    uid: `work-${INDEX}`,
  };
  return deploymentText({ ownerReferences: [owner] });
}

/** AppliedManifestWorks as OCM's agent writes them for KubeStellar's works, with one object each. */
export function appliedWorkText(): ObjectText {
  const zeros = '00000000-0000-0000-0000-000000000000';
  return textOf({
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'AppliedManifestWork',
    metadata: { name: `hub-work-${INDEX}`, uid: `work-${INDEX}`, resourceVersion: String(COUNTER) },
    spec: { hubHash: 'hub', agentID: 'agent', manifestWorkName: `${zeros}-wds-${zeros}` },
    status: {
      appliedResources: [
        {
          group: 'apps',
          version: 'v1',
          resource: 'deployments',
          namespace: 'shop',
          name: `web-${INDEX}`,
        },
      ],
    },
  });
}

/**
 * WorkStatuses as KubeStellar's status add-on writes them.
 *
 * @param namespaces they are spread over so many
 */
export function workStatusText(namespaces: number): ObjectText {
  const { apiVersion, kind } = RECORDED;
  const template = textOf({
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'WorkStatus',
    metadata: {
      name: `v1-deployment-shop-web-${INDEX}`,
      namespace: '@NAMESPACE@',
      uid: `status-${INDEX}`,
      resourceVersion: String(COUNTER),
      labels: { 'transport.kubestellar.io/originWdsName': 'wds' },
      managedFields: managedFields({}, { ...recorded('status') }),
    },
    spec: {
      sourceRef: {
        ...{ group: 'apps', version: 'v1', resource: 'deployments', kind: kind ?? '' },
        ...{ namespace: 'shop', name: `web-${INDEX}` },
      },
    },
    status: { ...recorded('status'), availableReplicas: COUNTER, note: String(apiVersion ?? '') },
  });
  return (index, counter) =>
    template(index, counter).replace('@NAMESPACE@', `cluster-${index % namespaces}`);
}

/** ManagedClusters that the hub takes for available. */
export function managedClusterText(): ObjectText {
  return textOf({
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: `cluster-${INDEX}`, uid: `mc-${INDEX}`, resourceVersion: String(COUNTER) },
    status: { conditions: [{ type: 'ManagedClusterConditionAvailable', status: 'True' }] },
  });
}
