/**
 * The vocabulary of KubeStellar: API group, resources, namespaces and labels (KubeStellar, `api/control/v1alpha1` and
 * "Combining reported state").
 */
export const CONTROL_GROUP = 'control.kubestellar.io';
/** The version of {@link CONTROL_GROUP}. */
export const CONTROL_VERSION = 'v1alpha1';
/** `apiVersion` of KubeStellar's objects. */
export const CONTROL_API_VERSION = `${CONTROL_GROUP}/${CONTROL_VERSION}`;

/** The group of these objects in the first releases of KubeStellar. Its version was the same. */
export const FORMER_CONTROL_GROUP = 'policies.kubestellar.io';

/** The label of a WorkStatus, and of what KubeStellar sends to WECs, with the name of the WDS. */
export const ORIGIN_WDS_LABEL = 'transport.kubestellar.io/originWdsName';
/** The finalizer of a BindingPolicy that KubeStellar's own controller manages. */
export const POLICY_FINALIZER = 'bindingpolicy.kubestellar.io/kscontroller';

/** A resource of {@link CONTROL_GROUP}. */
export type ControlResource =
  | 'bindings'
  | 'bindingpolicies'
  | 'combinedstatuses'
  | 'statuscollectors'
  | 'workstatuses';

/** Group, version and name of a resource of KubeStellar. */
export function controlResource<R extends ControlResource>(resource: R) {
  return { group: CONTROL_GROUP, version: CONTROL_VERSION, resource } as const;
}

/** Identifies a cluster-scoped object of KubeStellar. */
export function controlRef(resource: ControlResource, name: string) {
  return { ...controlResource(resource), namespace: '', name } as const;
}

/** Identifies a CombinedStatus. */
export function combinedStatusRef(namespace: string, name: string) {
  return { ...controlResource('combinedstatuses'), namespace, name } as const;
}

/**
 * The namespace of the CombinedStatuses of cluster-scoped objects. KubeStellar's controller creates it when it starts.
 */
export const REPORT_NAMESPACE = 'kubestellar-report';

/** Prefix of the labels of a CombinedStatus that identify its workload object and Binding. */
export const STATUS_LABEL_PREFIX = 'status.kubestellar.io/';

/** The number of qualified WECs, while the return of singleton status is requested. */
export const EXECUTING_COUNT_LABEL = 'kubestellar.io/executing-count';
/** Prefix of the labels of an object whose `.status` Starfold or KubeStellar wrote. */
export const MANAGED_BY_PREFIX = 'managed-by.kubestellar.io/';
/** On an object whose `.status` was copied from its only qualified WEC. */
export const SINGLETON_STATUS_LABEL = `${MANAGED_BY_PREFIX}singletonstatus`;
/** On an object whose `.status` was aggregated from several WECs. */
export const MULTI_WEC_STATUS_LABEL = `${MANAGED_BY_PREFIX}multiwecstatus`;

/** The labels of a workload object that Starfold owns. */
export const OWNED_LABELS = [
  EXECUTING_COUNT_LABEL,
  MULTI_WEC_STATUS_LABEL,
  SINGLETON_STATUS_LABEL,
] as const;
