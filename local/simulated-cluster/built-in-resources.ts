import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packageFile } from '#local/package-file.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { customResource, establishedStatus } from './custom-resources.ts';
import type { ResourceDefinition } from './resources.ts';

type Traits = Omit<
  Partial<ResourceDefinition>,
  'group' | 'version' | 'resource' | 'kind' | 'shortNames'
>;

type Row = readonly [
  resource: string,
  kind: string,
  shortNames: readonly string[],
  traits?: Traits,
];

const CLUSTER_SCOPED = { namespaced: false } as const;
const WITH_STATUS = { statusSubresource: true } as const;
const PLAIN = { generation: false } as const;
const ALL = ['all'] as const;

const EVENT_LABELS = [
  ...['apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'].map(
    (field) => `involvedObject.${field}`,
  ),
  'reason',
  'reportingComponent',
  'source',
  'type',
];

const NO_DAEMONS = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};
const NO_DISRUPTIONS = {
  currentHealthy: 0,
  desiredHealthy: 0,
  disruptionsAllowed: 0,
  expectedPods: 0,
};

function withStatus(initialStatus: JsonValue, traits: Traits = {}): Traits {
  return { statusSubresource: true, initialStatus, ...traits };
}

const SCALED = { categories: ALL, scale: true } as const;

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'core/v1': [
    [
      'namespaces',
      'Namespace',
      ['ns'],
      withStatus({ phase: 'Active' }, { ...CLUSTER_SCOPED, ...PLAIN }),
    ],
    [
      'nodes',
      'Node',
      ['no'],
      withStatus({}, { ...CLUSTER_SCOPED, ...PLAIN, fieldLabels: ['spec.unschedulable'] }),
    ],
    [
      'persistentvolumes',
      'PersistentVolume',
      ['pv'],
      withStatus({ phase: 'Pending' }, { ...CLUSTER_SCOPED, ...PLAIN }),
    ],
    [
      'pods',
      'Pod',
      ['po'],
      withStatus(
        { phase: 'Pending' },
        {
          categories: ALL,
          fieldLabels: ['spec.nodeName', 'spec.schedulerName', 'status.phase', 'status.podIP'],
        },
      ),
    ],
    [
      'services',
      'Service',
      ['svc'],
      withStatus({ loadBalancer: {} }, { ...PLAIN, categories: ALL }),
    ],
    ['configmaps', 'ConfigMap', ['cm'], PLAIN],
    ['secrets', 'Secret', [], { ...PLAIN, fieldLabels: ['type'] }],
    ['serviceaccounts', 'ServiceAccount', ['sa'], PLAIN],
    ['endpoints', 'Endpoints', ['ep'], PLAIN],
    ['events', 'Event', ['ev'], { ...PLAIN, fieldLabels: EVENT_LABELS }],
    ['limitranges', 'LimitRange', ['limits'], PLAIN],
    [
      'persistentvolumeclaims',
      'PersistentVolumeClaim',
      ['pvc'],
      withStatus({ phase: 'Pending' }, PLAIN),
    ],
    ['podtemplates', 'PodTemplate', []],
    [
      'replicationcontrollers',
      'ReplicationController',
      ['rc'],
      withStatus({ replicas: 0 }, SCALED),
    ],
    ['resourcequotas', 'ResourceQuota', ['quota'], withStatus({}, PLAIN)],
  ],
  'apps/v1': [
    ['deployments', 'Deployment', ['deploy'], withStatus({}, SCALED)],
    ['replicasets', 'ReplicaSet', ['rs'], withStatus({ replicas: 0 }, SCALED)],
    [
      'statefulsets',
      'StatefulSet',
      ['sts'],
      withStatus({ availableReplicas: 0, replicas: 0 }, SCALED),
    ],
    ['daemonsets', 'DaemonSet', ['ds'], withStatus(NO_DAEMONS, { categories: ALL })],
    ['controllerrevisions', 'ControllerRevision', [], PLAIN],
  ],
  'batch/v1': [
    ['jobs', 'Job', [], withStatus({}, { categories: ALL })],
    ['cronjobs', 'CronJob', ['cj'], withStatus({}, { categories: ALL })],
  ],
  'autoscaling/v2': [
    [
      'horizontalpodautoscalers',
      'HorizontalPodAutoscaler',
      ['hpa'],
      withStatus({ currentMetrics: null }, { ...PLAIN, categories: ALL }),
    ],
  ],
  'networking.k8s.io/v1': [
    ['ingresses', 'Ingress', ['ing'], withStatus({ loadBalancer: {} })],
    ['ingressclasses', 'IngressClass', [], CLUSTER_SCOPED],
    ['networkpolicies', 'NetworkPolicy', ['netpol']],
  ],
  'policy/v1': [
    ['poddisruptionbudgets', 'PodDisruptionBudget', ['pdb'], withStatus(NO_DISRUPTIONS)],
  ],
  'rbac.authorization.k8s.io/v1': [
    ['clusterroles', 'ClusterRole', [], { ...CLUSTER_SCOPED, ...PLAIN }],
    ['clusterrolebindings', 'ClusterRoleBinding', [], { ...CLUSTER_SCOPED, ...PLAIN }],
    ['roles', 'Role', [], PLAIN],
    ['rolebindings', 'RoleBinding', [], PLAIN],
  ],
  'coordination.k8s.io/v1': [['leases', 'Lease', [], PLAIN]],
  'apiextensions.k8s.io/v1': [
    [
      'customresourcedefinitions',
      'CustomResourceDefinition',
      ['crd', 'crds'],
      { ...CLUSTER_SCOPED, ...WITH_STATUS, initialStatus: establishedStatus },
    ],
  ],
};

function definition(
  groupVersion: string,
  [resource, kind, shortNames, traits]: Row,
): ResourceDefinition {
  const [group = '', version = ''] = groupVersion.split('/');
  return {
    group: group === 'core' ? '' : group,
    version,
    resource,
    kind,
    namespaced: true,
    statusSubresource: false,
    shortNames,
    ...traits,
  };
}

const KUBESTELLAR = ['bindings', 'bindingpolicies', 'statuscollectors', 'combinedstatuses'];

/** A resource of KubeStellar, with the schema and columns of its CustomResourceDefinition. */
function kubestellarResource(resource: string): readonly ResourceDefinition[] {
  const file = packageFile(`infra/crds/${resource}.yaml`);
  // The file is the project's own, and only contains values that JSON has.
  const served = customResource(parse(readFileSync(file, 'utf8')) as JsonObject);
  return served === undefined ? [] : [served];
}

/**
 * The resources that a simulated cluster serves by default: the usual ones of Kubernetes 1.36 and KubeStellar's
 * (KubeStellar reference, section 1).
 */
export const BUILT_IN_RESOURCES: readonly ResourceDefinition[] = [
  ...Object.entries(TABLE).flatMap(([groupVersion, rows]) =>
    rows.map((row) => definition(groupVersion, row)),
  ),
  ...KUBESTELLAR.flatMap(kubestellarResource),
];
