import { nearestName } from '#shared/core/nearest-name.ts';
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

function keyOf({ group, version, resource }: ApiResource): string {
  return `${group}/${version}/${resource}`;
}

const KINDS: ReadonlyMap<string, readonly string[]> = new Map(BUILT_IN_KINDS);
const BY_RESOURCE = new Map<string, string>();
/** The first group of each resource that several groups have. */
const BY_PLURAL = new Map<string, ApiResource>();
const GROUPS = new Set<string>();
for (const [groupVersion, kinds] of BUILT_IN_KINDS) {
  const [group = '', version = ''] = groupVersion.split('/');
  GROUPS.add(group);
  for (const kind of kinds) {
    const resource = { group, version, resource: kindPlural(group, kind) };
    BY_RESOURCE.set(keyOf(resource), kind);
    if (!BY_PLURAL.has(resource.resource)) BY_PLURAL.set(resource.resource, resource);
  }
}

/**
 * Returns the kind of a resource that every Kubernetes API server has in this version, or `undefined` for any other resource.
 */
export function builtInKind(resource: ApiResource): string | undefined {
  return BY_RESOURCE.get(keyOf(resource));
}

/**
 * Returns the resource that was probably meant, if Kubernetes has the group and version but not this resource in it: a resource
 * of another group, a misspelled one, or a kind. Returns `undefined` if the resource exists, if no name is similar, or if the
 * group or version does not belong to Kubernetes 1.36.
 */
export function intendedResource(named: ApiResource): ApiResource | undefined {
  const { group, version, resource } = named;
  const kinds = KINDS.get(`${group}/${version}`);
  if (kinds === undefined || BY_RESOURCE.has(keyOf(named))) return undefined;
  const elsewhere = BY_PLURAL.get(resource);
  if (elsewhere !== undefined) return elsewhere;
  const near = nearestName(
    resource,
    kinds.map((kind) => kindPlural(group, kind)),
  );
  return near === undefined ? undefined : { group, version, resource: near };
}

/** The group of each resource of Kubernetes in a group, or in any group. */
function groupsOf(group: string | undefined): ReadonlyMap<string, string> {
  if (group === undefined)
    return new Map([...BY_PLURAL].map(([resource, of]) => [resource, of.group]));
  const inGroup = BUILT_IN_KINDS.filter(([name]) => name.slice(0, name.indexOf('/')) === group);
  return new Map(
    inGroup.flatMap(([, kinds]) => kinds.map((kind) => [kindPlural(group, kind), group] as const)),
  );
}

/**
 * Returns the resource that was probably meant by a name without a version, like {@link intendedResource}. If the group is not
 * given, the name may be that of any custom resource, so only a name that differs in one character is a misspelt one.
 *
 * @param group absent: any group
 */
export function intendedName(
  group: string | undefined,
  resource: string,
): Omit<ApiResource, 'version'> | undefined {
  const groups = groupsOf(group);
  if (groups.size === 0 || groups.has(resource)) return undefined;
  const elsewhere = BY_PLURAL.get(resource);
  if (elsewhere !== undefined) return elsewhere;
  const near = nearestName(resource, groups.keys(), group === undefined ? 1 : undefined) ?? '';
  const ofGroup = groups.get(near);
  return ofGroup === undefined ? undefined : { group: ofGroup, resource: near };
}

/** Whether the kinds of a group are part of Kubernetes itself, instead of CustomResourceDefinitions. */
export function isBuiltInGroup(group: string): boolean {
  return GROUPS.has(group);
}
