import { at, isArray, type JsonObject, type JsonValue, member } from './json.ts';

/** The inventory of Open Cluster Management. */
export const MANAGED_CLUSTERS = {
  group: 'cluster.open-cluster-management.io',
  version: 'v1',
  resource: 'managedclusters',
} as const;

/** What the hub says of a cluster whose agent renews its lease (OCM, ManagedCluster API). */
const AVAILABLE = 'ManagedClusterConditionAvailable';

/** The condition that says whether a ManagedCluster is available; `undefined`: the hub has said nothing. */
export function availabilityOf(cluster: JsonObject): JsonValue | undefined {
  const conditions = at(cluster, 'status', 'conditions');
  if (!isArray(conditions)) return undefined;
  return conditions.find((condition) => member(condition, 'type') === AVAILABLE);
}
