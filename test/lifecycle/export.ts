import type { JsonObject } from '#shared/core/json.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { World } from './world.ts';

/** What a cluster says of itself is nobody's workload. */
const LEFT_OUT: ReadonlySet<string> = new Set(['events', 'leases', 'nodes', 'endpoints']);

/** Everything in the clusters as their API servers return it. */
export interface Export {
  readonly wds: readonly JsonObject[];
  /** The ManagedClusters, where they are not among the WDS's objects. */
  readonly inventory: readonly JsonObject[];
  readonly wecs: readonly { readonly wec: string; readonly objects: readonly JsonObject[] }[];
}

async function allObjects(api: ResourceApi): Promise<readonly JsonObject[]> {
  const resources = (await api.discover()).resources.filter(
    ({ resource }) => !LEFT_OUT.has(resource),
  );
  const lists = await Promise.all(resources.map((resource) => api.list(resource, {})));
  return lists.flatMap(({ items }) => items);
}

/** Reads everything. */
export async function exportAll({
  wds,
  wecs,
  inventory,
}: Pick<World, 'wds' | 'wecs' | 'inventory'>): Promise<Export> {
  const isOwn = inventory !== wds;
  const [ofWds, ofInventory, ...ofWecs] = await Promise.all([
    allObjects(wds.api),
    isOwn ? allObjects(inventory.api) : [],
    ...wecs.map(({ api }) => allObjects(api)),
  ]);
  return {
    wds: ofWds,
    inventory: ofInventory.filter(({ kind }) => kind === 'ManagedCluster'),
    wecs: wecs.map(({ name }, index) => ({ wec: name, objects: ofWecs[index] ?? [] })),
  };
}
