import { compareText } from '#shared/core/collector/first-entries.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { clusterContact, silenceText } from '#shared/core/fleet/cluster-contact.ts';
import {
  createInventory,
  targetCluster,
  targetGroup,
} from '#shared/core/fleet/cluster-inventory.ts';
import {
  type DeploymentRow,
  deploymentRow,
  parentsOf,
  pendingRow,
  type RowParents,
  silentRow,
} from '#shared/core/fleet/deployment-row.ts';
import { bundleTargets } from '#shared/core/fleet/targets.ts';
import { type FleetKind, labelledCluster, namespacedName } from '#shared/core/fleet-object.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';

/** An object that determines statuses of Fleet. Objects of kinds other than `FleetKind` determine none. */
export interface FleetObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** The objects of one kind, by `<namespace>/<name>`. */
export type ObjectsOf = (kind: FleetKind) => ReadonlyMap<string, JsonObject>;

/** Groups objects by kind. */
export function byKind(objects: readonly FleetObject[]): ObjectsOf {
  const kinds = Map.groupBy(objects, ({ kind }) => kind);
  const maps = new Map(
    [...kinds].map(([kind, some]) => [
      kind,
      new Map(some.map(({ namespace, name, object }) => [namespacedName(namespace, name), object])),
    ]),
  );
  return (kind) => maps.get(kind) ?? new Map();
}

/**
 * Finds the Cluster of a BundleDeployment, as `<namespace>/<name>`: the Cluster that its labels name, otherwise the
 * Cluster of its namespace. If several Clusters claim the namespace, the first one by name is used. The result is `''`
 * if there is none.
 *
 * @param clusters by `<namespace>/<name>`
 */
function clusterFinder(clusters: ReadonlyMap<string, JsonObject>): (one: JsonObject) => string {
  const claimed = new Map(
    [...clusters]
      .map(([id, object]) => [textAt(object, 'status', 'namespace'), id] as const)
      .sort(([, a], [, b]) => compareText(b, a)),
  );
  claimed.delete('');
  return (deployment) =>
    labelledCluster(deployment) || (claimed.get(textAt(deployment, 'metadata', 'namespace')) ?? '');
}

/** Finds the Cluster of a BundleDeployment among the Clusters in a set of objects. `''` if there is none. */
export function deploymentClusters(
  objects: readonly FleetObject[],
): (deployment: JsonObject) => string {
  return clusterFinder(byKind(objects)('Cluster'));
}

/** A Bundle with the content of its labels and its targets. */
export interface TargetedBundle {
  readonly id: string;
  readonly object: JsonObject;
  readonly parents: RowParents;
  readonly targets: readonly string[];
  readonly targetErrors: readonly string[];
}

/** The Bundles by `<namespace>/<name>`. */
export function bundlesOf(objectsOf: ObjectsOf): ReadonlyMap<string, TargetedBundle> {
  const inventory = createInventory(
    [...objectsOf('Cluster').values()].map(targetCluster),
    [...objectsOf('ClusterGroup').values()].map(targetGroup),
  );
  const entries = [...objectsOf('Bundle')].map(([id, object]): [string, TargetedBundle] => {
    const { clusters, errors } = bundleTargets(object, inventory);
    const [namespace, name] = [
      textAt(object, 'metadata', 'namespace'),
      textAt(object, 'metadata', 'name'),
    ];
    const parents = parentsOf(object, namespace, name);
    // A Bundle that is being deleted waits for no Cluster.
    const targets = isDeleting(object) ? [] : clusters;
    return [id, { id, object, parents, targets, targetErrors: errors }];
  });
  return new Map(entries);
}

/** The targets of all Bundles: every BundleDeployment, and each Cluster that is still waiting for one. */
export function targetRows(
  objectsOf: ObjectsOf,
  bundles: Iterable<TargetedBundle>,
  nowMs: number,
): readonly DeploymentRow[] {
  const clusters = objectsOf('Cluster');
  const clusterOf = clusterFinder(clusters);
  const deployed = [...objectsOf('BundleDeployment').values()].map((object) => {
    const row = { ...deploymentRow(object), cluster: clusterOf(object) };
    const contact = clusterContact(clusters.get(row.cluster) ?? {}, nowMs);
    return contact.type === 'silent' ? silentRow(row, silenceText(contact.lastSeen)) : row;
  });
  const deployedPairs = new Set(deployed.map(({ bundle, cluster }) => `${bundle}\n${cluster}`));
  const waiting = [...bundles].flatMap(({ id, parents, targets }) =>
    targets
      .filter((cluster) => !deployedPairs.has(`${id}\n${cluster}`))
      .map((cluster) => pendingRow(parents, cluster)),
  );
  return [...deployed, ...waiting];
}
