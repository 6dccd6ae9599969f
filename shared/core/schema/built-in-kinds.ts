import { kindPlural } from './kind-plural.ts';

/** A resource of an API, without the cluster that serves it. */
export interface ApiResource {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural in lower case. */
  readonly resource: string;
}

/** The listable kinds of Kubernetes 1.36 by group and version. Only stable versions are included. */
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

/** The kinds of {@link BUILT_IN_KINDS} whose objects are in no namespace (Kubernetes API reference). */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  ...['ComponentStatus', 'Namespace', 'Node', 'PersistentVolume'],
  ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding', 'MutatingWebhookConfiguration'],
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  ...['ValidatingWebhookConfiguration', 'CustomResourceDefinition', 'APIService'],
  ...['CertificateSigningRequest', 'FlowSchema', 'PriorityLevelConfiguration'],
  ...['IPAddress', 'IngressClass', 'ServiceCIDR', 'RuntimeClass'],
  ...['ClusterRole', 'ClusterRoleBinding', 'DeviceClass', 'ResourceSlice', 'PriorityClass'],
  ...['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment', 'VolumeAttributesClass'],
]);

function keyOf({ group, version, resource }: ApiResource): string {
  return `${group}/${version}/${resource}`;
}

const BY_RESOURCE = new Map<string, string>();
const RESOURCES: ApiResource[] = [];
const GROUPS = new Set<string>();
for (const [groupVersion, kinds] of BUILT_IN_KINDS) {
  const end = groupVersion.indexOf('/');
  const [group, version] = [groupVersion.slice(0, end), groupVersion.slice(end + 1)];
  GROUPS.add(group);
  for (const kind of kinds) {
    const resource = { group, version, resource: kindPlural(group, kind) };
    BY_RESOURCE.set(keyOf(resource), kind);
    RESOURCES.push(resource);
  }
}

/** The resources of {@link BUILT_IN_KINDS}, in their order. */
export const BUILT_IN_RESOURCES: readonly ApiResource[] = RESOURCES;

/** The groups of {@link BUILT_IN_KINDS}. */
export const BUILT_IN_GROUPS: ReadonlySet<string> = GROUPS;

/**
 * Returns the kind of a resource that every Kubernetes API server has in this version, or `undefined` for any other resource.
 */
export function builtInKind(resource: ApiResource): string | undefined {
  return BY_RESOURCE.get(keyOf(resource));
}

/** Whether the objects of a kind of Kubernetes are in no namespace. */
export function isClusterScoped(builtIn: string): boolean {
  return CLUSTER_SCOPED.has(builtIn);
}

/** Whether the kinds of a group are part of Kubernetes itself, instead of CustomResourceDefinitions. */
export function isBuiltInGroup(group: string): boolean {
  return GROUPS.has(group);
}
