/** Identifies a workload object in a WDS: an object that a Binding sends to WECs. */
export interface WorkloadRef {
  /** Name of the WDS. */
  readonly wds: string;
  /** API group; `''` is the core group. */
  readonly group: string;
  /** Lower-case plural name of the kind, such as `deployments`. */
  readonly resource: string;
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** Identifies an object in a WDS regardless of its API version. Keys sort by group, resource, namespace, name. */
export function objectKey(ref: Omit<WorkloadRef, 'wds'>): string {
  return `${ref.group}/${ref.resource}/${ref.namespace}/${ref.name}`;
}

/**
 * A string that identifies a workload object, usable as a key. In Kubernetes, none of the five parts can contain a
 * slash, so the string is unambiguous.
 */
export function workloadKey(ref: WorkloadRef): string {
  return `${ref.wds}/${objectKey(ref)}`;
}

/** The name of a workload object in messages: `deployments.apps shop/web`. */
export function workloadTitle(ref: Omit<WorkloadRef, 'wds'>): string {
  const { group, resource, namespace, name } = ref;
  const kind = group === '' ? resource : `${resource}.${group}`;
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/**
 * The inverse of {@link workloadKey}.
 *
 * @throws RangeError if the text is not such a key
 */
export function parseWorkloadKey(key: string): WorkloadRef {
  const [wds, group, resource, namespace, name, ...rest] = key.split('/');
  if (
    !wds ||
    group === undefined ||
    !resource ||
    namespace === undefined ||
    !name ||
    rest.length > 0
  )
    throw new RangeError(`not a workload key: ${key}`);
  return { wds, group, resource, namespace, name };
}
