import { kindPlural } from './kind-plural.ts';

/** A resource of an API, without the cluster that serves it. */
export interface ApiResource {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural. */
  readonly resource: string;
}

/** The kinds of Kubernetes 1.36 that can be listed, by group and version; those whose version is stable. */
export const BUILT_IN_KINDS: readonly (readonly [
  groupVersion: string,
  kinds: readonly string[],
])[] = [
  [
    '/v1',
    [
      'ComponentStatus',
      'ConfigMap',
      'Endpoints',
      'Event',
      'LimitRange',
      'Namespace',
      'Node',
      'PersistentVolume',
      'PersistentVolumeClaim',
      'Pod',
      'PodTemplate',
      'ReplicationController',
      'ResourceQuota',
      'Secret',
      'Service',
      'ServiceAccount',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1',
    [
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'MutatingWebhookConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingWebhookConfiguration',
    ],
  ],
  ['apiextensions.k8s.io/v1', ['CustomResourceDefinition']],
  ['apiregistration.k8s.io/v1', ['APIService']],
  ['apps/v1', ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet']],
  ['autoscaling/v1', ['HorizontalPodAutoscaler']],
  ['autoscaling/v2', ['HorizontalPodAutoscaler']],
  ['batch/v1', ['CronJob', 'Job']],
  ['certificates.k8s.io/v1', ['CertificateSigningRequest']],
  ['coordination.k8s.io/v1', ['Lease']],
  ['discovery.k8s.io/v1', ['EndpointSlice']],
  ['events.k8s.io/v1', ['Event']],
  ['flowcontrol.apiserver.k8s.io/v1', ['FlowSchema', 'PriorityLevelConfiguration']],
  [
    'networking.k8s.io/v1',
    ['IPAddress', 'Ingress', 'IngressClass', 'NetworkPolicy', 'ServiceCIDR'],
  ],
  ['node.k8s.io/v1', ['RuntimeClass']],
  ['policy/v1', ['PodDisruptionBudget']],
  ['rbac.authorization.k8s.io/v1', ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']],
  [
    'resource.k8s.io/v1',
    ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  ],
  ['scheduling.k8s.io/v1', ['PriorityClass']],
  [
    'storage.k8s.io/v1',
    [
      'CSIDriver',
      'CSINode',
      'CSIStorageCapacity',
      'StorageClass',
      'VolumeAttachment',
      'VolumeAttributesClass',
    ],
  ],
];

function keyOf({ group, version, resource }: ApiResource): string {
  return `${group}/${version}/${resource}`;
}

const BY_RESOURCE = new Map<string, string>();
const GROUPS = new Set<string>();
for (const [groupVersion, kinds] of BUILT_IN_KINDS) {
  const [group = '', version = ''] = groupVersion.split('/');
  GROUPS.add(group);
  for (const kind of kinds)
    BY_RESOURCE.set(keyOf({ group, version, resource: kindPlural(group, kind) }), kind);
}

/** The kind of a resource that every Kubernetes API server has in this version; `undefined` for any other. */
export function builtInKind(resource: ApiResource): string | undefined {
  return BY_RESOURCE.get(keyOf(resource));
}

/** Whether the kinds of a group come with Kubernetes itself, and not with CustomResourceDefinitions. */
export function isBuiltInGroup(group: string): boolean {
  return GROUPS.has(group);
}
