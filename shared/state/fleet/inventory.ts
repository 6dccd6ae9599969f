import { randomUUID } from 'node:crypto';
import {
  type ClusterInventory,
  createInventory,
  type TargetGroup,
  targetCluster,
  targetGroup,
} from '#shared/core/fleet/cluster-inventory.ts';
import type { AggregatedResource } from '#shared/core/fleet/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { decodeBody } from '#shared/state/body.ts';
import {
  type FleetNamespace,
  type FleetSubject,
  inventoryPartition,
  SORT,
} from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import type { Contribution } from './contributions.ts';

const PREFIX = 'I#';
const TELL = 'TELL#';

/** Key of the entry of a Cluster, ClusterGroup, GitRepo or HelmOp: `<resource>/<name>`. */
function inventoryKey(subject: FleetSubject): ItemKey {
  return { pk: inventoryPartition(subject), sk: `${subject.resource}/${subject.name}` };
}

/**
 * The entry of an object in its inventory.
 *
 * @param content what the statuses of others follow from
 */
export function inventoryEntry(subject: FleetSubject, content: JsonObject): Contribution {
  const { metadata = {}, spec = {} } = content;
  return { key: inventoryKey(subject), body: { metadata, spec } };
}

/** Of an entry the namespace, and the resource that it is of; `undefined`: the key is none of an entry. */
export function inventoryPlace({
  pk,
  sk,
}: ItemKey): (FleetNamespace & { readonly resource: AggregatedResource }) | undefined {
  if (!pk.startsWith(PREFIX)) return undefined;
  const [upstream = '', namespace = ''] = pk.slice(PREFIX.length).split('/');
  // An entry was put under the name of its resource.
  return { upstream, namespace, resource: sk.split('/')[0] as AggregatedResource };
}

/** What stands in a namespace, as far as others depend on it. */
export interface Inventory {
  /** Another text whenever something has changed. */
  readonly token: string;
  /** The Clusters as targets of Bundles. */
  readonly targets: ClusterInventory;
  readonly groups: readonly TargetGroup[];
  /** Names of the GitRepos and HelmOps. */
  readonly gitrepos: ReadonlySet<string>;
  readonly helmops: ReadonlySet<string>;
}

function inventoryOf(token: string, entries: readonly Item[]): Inventory {
  const of = (resource: AggregatedResource): readonly Item[] =>
    entries.filter(({ sk, body }) => body !== undefined && sk.startsWith(`${resource}/`));
  const objects = (resource: AggregatedResource): readonly JsonObject[] =>
    of(resource).map((item) => decodeBody<JsonObject>(item));
  const names = (resource: AggregatedResource): ReadonlySet<string> =>
    new Set(of(resource).map(({ sk }) => sk.slice(resource.length + 1)));
  const groups = objects('clustergroups').map(targetGroup);
  return {
    token,
    targets: createInventory(objects('clusters').map(targetCluster), groups),
    groups,
    gitrepos: names('gitrepos'),
    helmops: names('helmops'),
  };
}

/** The inventories of namespaces; a process remembers them until they change. */
export interface InventoryStore {
  /** What stands in a namespace; not older than the call. */
  read(namespace: FleetNamespace): Promise<Inventory>;
  /**
   * Says that entries have changed, which have been put before, and that all objects of these resources are to look.
   *
   * @returns the new token
   */
  changed(namespace: FleetNamespace, tell: readonly AggregatedResource[]): Promise<string>;
  /** The token of the last change after which the objects of a resource are to look; not older than the call. */
  told(namespace: FleetNamespace, resource: AggregatedResource): Promise<string>;
}

const MAX_REMEMBERED = 20;

/** Inventories in an item store. */
export function createInventoryStore(store: ItemStore): InventoryStore {
  const remembered = new Map<string, Inventory>();
  const tokenOf = async (key: ItemKey): Promise<string> => {
    const [item] = await store.get([key]);
    return item?.version ?? '';
  };
  return {
    told: (namespace, resource) =>
      tokenOf({ pk: inventoryPartition(namespace), sk: `${TELL}${resource}` }),
    async read(namespace) {
      const pk = inventoryPartition(namespace);
      // The token is read before the entries: whoever changes one later changes the token after it.
      const token = await tokenOf({ pk, sk: SORT.head });
      const known = remembered.get(pk);
      if (known?.token === token && token !== '') return known;
      const entries: Item[] = [];
      for await (const items of pages(store, { pk })) entries.push(...items);
      const inventory = inventoryOf(token, entries);
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(pk, inventory);
      return inventory;
    },
    async changed(namespace, tell) {
      const pk = inventoryPartition(namespace);
      // One that was never there: a process may remember what it read under any other.
      const version = randomUUID();
      await store.put([{ item: { pk, sk: SORT.head, version } }]);
      await store.put(
        tell.map((resource) => ({ item: { pk, sk: `${TELL}${resource}`, version } })),
      );
      return version;
    },
  };
}
