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
/** Its version. */
export const FLEET_VERSION = 'v1alpha1';
/** Both, as objects name them. */
export const FLEET_API_VERSION = `${FLEET_GROUP}/${FLEET_VERSION}`;

/**
 * What is done about the statuses of a management cluster: `write` makes them what they should be; `compare` leaves them to
 * Fleet's controller, and tells where they are others.
 */
export const FLEET_MODES = ['write', 'compare'] as const;
/** See {@link FLEET_MODES}. */
export type FleetMode = (typeof FLEET_MODES)[number];

/** The kinds whose statuses follow from those of BundleDeployments. */
export const AGGREGATED_KINDS = ['Bundle', 'Cluster', 'ClusterGroup', 'GitRepo', 'HelmOp'] as const;
/** See {@link AGGREGATED_KINDS}. */
export type AggregatedKind = (typeof AGGREGATED_KINDS)[number];

/** The kinds that statuses follow from. A Job counts if a GitRepo owns it. */
export type FleetKind = AggregatedKind | 'BundleDeployment' | 'Job';

/** The kinds that statuses follow from, by resource. */
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
