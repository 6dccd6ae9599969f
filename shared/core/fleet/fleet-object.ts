import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  textAt,
} from '#shared/core/json.ts';

/** The version of Fleet's API. */
export const FLEET_API_VERSION = 'fleet.cattle.io/v1alpha1';

/** The kinds whose statuses follow from those of BundleDeployments. */
export const AGGREGATED_KINDS = ['Bundle', 'Cluster', 'ClusterGroup', 'GitRepo', 'HelmOp'] as const;
/** See {@link AGGREGATED_KINDS}. */
export type AggregatedKind = (typeof AGGREGATED_KINDS)[number];

/** The kinds that statuses follow from. A Job counts if a GitRepo owns it. */
export type FleetKind = AggregatedKind | 'BundleDeployment' | 'Job';

/** The labels by which Fleet's objects find each other (Fleet, `pkg/apis`). */
export const FLEET_LABELS = {
  bundle: 'fleet.cattle.io/bundle-name',
  bundleNamespace: 'fleet.cattle.io/bundle-namespace',
  repo: 'fleet.cattle.io/repo-name',
  helmOp: 'fleet.cattle.io/fleet-helm-name',
  cluster: 'fleet.cattle.io/cluster',
  clusterNamespace: 'fleet.cattle.io/cluster-namespace',
} as const;

/** The integer at a path; 0 where there is none. */
export function integerAt(value: JsonValue | undefined, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : 0;
}

/** Whether the value at a path is true. */
export function isTrueAt(value: JsonValue | undefined, ...path: readonly string[]): boolean {
  return at(value, ...path) === true;
}

/** The objects of a list at a path; what is no object is left out. */
export function objectsAt(
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly JsonObject[] {
  const list = at(value, ...path);
  return isArray(list) ? list.filter(isObject) : [];
}

/** A label of an object; `''` where it has none. */
export function labelOf(object: JsonObject, key: string): string {
  return textAt(object, 'metadata', 'labels', key);
}

/** `<namespace>/<name>`, as Fleet's messages and lists name an object. */
export function namespacedName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** What stands for the Cluster of a deployment that belongs to none (Fleet's code: both names are empty). */
export const NO_CLUSTER = '/';

/** The Cluster that the labels of a BundleDeployment name, as `<namespace>/<name>`; `''`: they name none. */
export function labelledCluster(deployment: JsonObject): string {
  const name = labelOf(deployment, FLEET_LABELS.cluster);
  const namespace = labelOf(deployment, FLEET_LABELS.clusterNamespace);
  return name === '' || namespace === '' ? '' : namespacedName(namespace, name);
}
