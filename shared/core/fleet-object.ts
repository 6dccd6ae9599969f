import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  textAt,
} from '#shared/core/json.ts';

/** The group of Fleet's API. */
export const FLEET_GROUP = 'fleet.cattle.io';
/** The version of Fleet's API. */
export const FLEET_VERSION = 'v1alpha1';
/** Group and version, as in `apiVersion`. */
export const FLEET_API_VERSION = `${FLEET_GROUP}/${FLEET_VERSION}`;

/**
 * What Starfold does with the statuses of a management cluster. `write` updates them. `compare` leaves them to Fleet's
 * controller and reports the differences.
 */
export const FLEET_MODES = ['write', 'compare'] as const;
/** See {@link FLEET_MODES}. */
export type FleetMode = (typeof FLEET_MODES)[number];

/** The kinds whose statuses follow from the statuses of BundleDeployments. */
export const AGGREGATED_KINDS = ['Bundle', 'Cluster', 'ClusterGroup', 'GitRepo', 'HelmOp'] as const;
/** See {@link AGGREGATED_KINDS}. */
export type AggregatedKind = (typeof AGGREGATED_KINDS)[number];

/** The kinds from which statuses follow. A Job counts only if a GitRepo owns it. */
export type FleetKind = AggregatedKind | 'BundleDeployment' | 'Job';

/** The kinds from which statuses follow, by resource. */
export const FLEET_KINDS = {
  bundledeployments: 'BundleDeployment',
  bundles: 'Bundle',
  clusters: 'Cluster',
  clustergroups: 'ClusterGroup',
  gitrepos: 'GitRepo',
  helmops: 'HelmOp',
  jobs: 'Job',
} as const satisfies Readonly<Record<string, FleetKind>>;

/** A plural name of {@link FLEET_KINDS}. */
export type FleetResource = keyof typeof FLEET_KINDS;

/** The resources of {@link AGGREGATED_KINDS}. */
export const AGGREGATED_RESOURCES = [
  'bundles',
  'clusters',
  'clustergroups',
  'gitrepos',
  'helmops',
] as const satisfies readonly FleetResource[];
/** See {@link AGGREGATED_RESOURCES}. */
export type AggregatedResource = (typeof AGGREGATED_RESOURCES)[number];

/** The labels by which Fleet's objects name each other (Fleet, `pkg/apis`). */
export const FLEET_LABELS = {
  bundle: 'fleet.cattle.io/bundle-name',
  bundleNamespace: 'fleet.cattle.io/bundle-namespace',
  repo: 'fleet.cattle.io/repo-name',
  helmOp: 'fleet.cattle.io/fleet-helm-name',
  cluster: 'fleet.cattle.io/cluster',
  clusterNamespace: 'fleet.cattle.io/cluster-namespace',
} as const;

/** The integer at a path, or 0 if there is none. */
export function integerAt(value: JsonValue | undefined, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : 0;
}

/** Whether the value at a path is true. */
export function isTrueAt(value: JsonValue | undefined, ...path: readonly string[]): boolean {
  return at(value, ...path) === true;
}

/** The objects of the list at a path. Other entries are left out. */
export function objectsAt(
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly JsonObject[] {
  const list = at(value, ...path);
  return isArray(list) ? list.filter(isObject) : [];
}

/** A label of an object, or `''` if it does not have the label. */
export function labelOf(object: JsonObject, key: string): string {
  return textAt(object, 'metadata', 'labels', key);
}

/** `<namespace>/<name>`, the form in Fleet's messages and lists. */
export function namespacedName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** The id of the Cluster for a deployment without a Cluster (Fleet's code: both names are empty). */
export const NO_CLUSTER = '/';

/** The Cluster that the labels of a BundleDeployment name, as `<namespace>/<name>`, or `''` if they name none. */
export function labelledCluster(deployment: JsonObject): string {
  const name = labelOf(deployment, FLEET_LABELS.cluster);
  const namespace = labelOf(deployment, FLEET_LABELS.clusterNamespace);
  return name === '' || namespace === '' ? '' : namespacedName(namespace, name);
}
