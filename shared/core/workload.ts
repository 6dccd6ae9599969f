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

/** Identifies an object among those of a WDS, whatever the version of its API; sorts by group, resource, namespace, name. */
export function objectKey(ref: Omit<WorkloadRef, 'wds'>): string {
  return `${ref.group}/${ref.resource}/${ref.namespace}/${ref.name}`;
}

/**
 * One string for a workload object, usable as a key. None of the five parts can contain a slash in Kubernetes, so the
 * string is unambiguous.
 */
export function workloadKey(ref: WorkloadRef): string {
  return `${ref.wds}/${objectKey(ref)}`;
}

/** A workload object in words, as messages name it: `deployments.apps shop/web`. */
export function workloadTitle(ref: Omit<WorkloadRef, 'wds'>): string {
  const { group, resource, namespace, name } = ref;
  const kind = group === '' ? resource : `${resource}.${group}`;
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/**
 * The inverse of {@link workloadKey}.
 *
 * @throws RangeError when the text is not such a key.
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
