import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod/mini';
import {
  type ClusterInventory,
  createInventory,
  type TargetCluster,
  type TargetGroup,
  targetCluster,
  targetGroup,
} from '#shared/core/fleet/cluster-inventory.ts';
import type { AggregatedResource } from '#shared/core/fleet-object.ts';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import {
  type FleetNamespace,
  type FleetSubject,
  inventoryPartition,
} from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import type { PlacedRow } from './placed-object.ts';

const ENTRY = bodyCodec<JsonObject>('entry of an inventory', z.custom<JsonObject>(isObject));

const PREFIX = 'I#';
const NOTIFY = 'TELL#';

/** The key of the entry of a Cluster, ClusterGroup, GitRepo or HelmOp: `<resource>/<name>`. */
function inventoryKey(subject: FleetSubject): ItemKey {
  return { pk: inventoryPartition(subject), sk: `${subject.resource}/${subject.name}` };
}

/**
 * The entry of an object in its inventory.
 *
 * @param content the fields from which the statuses of others follow
 */
export function inventoryEntry(subject: FleetSubject, content: JsonObject): PlacedRow {
  const { metadata = {}, spec = {} } = content;
  return { key: inventoryKey(subject), body: { metadata, spec } };
}

/** The namespace and resource of an entry. Returns undefined if the key is not that of an entry. */
export function parseInventoryKey({
  pk,
  sk,
}: ItemKey): (FleetNamespace & { readonly resource: AggregatedResource }) | undefined {
  if (!pk.startsWith(PREFIX)) return undefined;
  const [upstream = '', namespace = ''] = pk.slice(PREFIX.length).split('/');
  // An entry is stored under the name of its resource.
  return { upstream, namespace, resource: sk.split('/')[0] as AggregatedResource };
}

/** The objects of a namespace, besides Clusters, on which others depend. */
export interface Surroundings {
  readonly groups: readonly TargetGroup[];
  /** The names of the GitRepos and HelmOps. */
  readonly gitrepos: ReadonlySet<string>;
  readonly helmops: ReadonlySet<string>;
}

/** A change in a namespace. */
export interface InventoryChange extends FleetNamespace {
  /** The resources whose entries have changed. The entries were put before. */
  readonly changed: readonly AggregatedResource[];
  /** The resources all of whose objects have to be notified. */
  readonly notify: readonly AggregatedResource[];
}

/** The inventories of namespaces. A process caches them until they change. */
export interface InventoryStore {
  /** Reads the objects of a namespace besides Clusters. The result is not older than the call. */
  surroundings(namespace: FleetNamespace): Promise<Surroundings>;
  /**
   * Reads the Clusters of a namespace as targets of Bundles. The result is not older than the call. As long as nothing changes,
   * the same object is returned.
   */
  targets(namespace: FleetNamespace): Promise<ClusterInventory>;
  /**
   * Announces a change.
   *
   * @returns the new token
   */
  changed(change: InventoryChange): Promise<string>;
  /**
   * Reads the token of the last change for which the objects of a resource have to be notified. The result is not older than
   * the call.
   */
  tokenToNotify(namespace: FleetNamespace, resource: AggregatedResource): Promise<string>;
}

/** Clusters are numerous, and not every reader needs them. Therefore they have a token of their own. */
type Segment = 'clusters' | 'others';

function segmentOf(resource: AggregatedResource): Segment {
  return resource === 'clusters' ? 'clusters' : 'others';
}

function tokenKey(namespace: FleetNamespace, segment: Segment): ItemKey {
  return { pk: inventoryPartition(namespace), sk: `TOKEN#${segment}` };
}

const MAX_REMEMBERED = 20;

/** The content that was read under a token. */
interface Read<Value> {
  /** The token changes whenever the content has changed. */
  readonly token: string;
  readonly value: Value;
}

/** Reads a segment of an inventory, and caches it while its token is the same. */
function remembering<Value>(
  store: ItemStore,
  segment: Segment,
  read: (pk: string) => Promise<Value>,
): (namespace: FleetNamespace) => Promise<Read<Value>> {
  const remembered = new LRUCache<string, Read<Value>>({ max: MAX_REMEMBERED });
  return async (namespace) => {
    const key = tokenKey(namespace, segment);
    // The token is read before the entries. A process that changes an entry later changes the token after that.
    const [item] = await store.get([key]);
    const token = item?.version ?? '';
    const known = remembered.get(key.pk);
    if (known?.token === token && token !== '') return known;
    const now = { token, value: await read(key.pk) };
    remembered.set(key.pk, now);
    return now;
  };
}

async function entriesOf(
  store: ItemStore,
  pk: string,
  resource: AggregatedResource,
): Promise<readonly Item[]> {
  const entries: Item[] = [];
  for await (const items of pages(store, range(pk, `${resource}/`)))
    entries.push(...items.filter(({ body }) => body !== undefined));
  return entries;
}

async function readSurroundings(store: ItemStore, pk: string): Promise<Surroundings> {
  const names = async (resource: AggregatedResource): Promise<ReadonlySet<string>> =>
    new Set((await entriesOf(store, pk, resource)).map(({ sk }) => sk.slice(resource.length + 1)));
  const groups = await entriesOf(store, pk, 'clustergroups');
  return {
    groups: groups.map((item) => targetGroup(ENTRY.decode(item))),
    gitrepos: await names('gitrepos'),
    helmops: await names('helmops'),
  };
}

async function readClusters(store: ItemStore, pk: string): Promise<readonly TargetCluster[]> {
  const clusters = await entriesOf(store, pk, 'clusters');
  return clusters.map((item) => targetCluster(ENTRY.decode(item)));
}

/** Creates the inventories in an item store. */
export function createInventoryStore(store: ItemStore): InventoryStore {
  const others = remembering(store, 'others', (pk) => readSurroundings(store, pk));
  const clusters = remembering(store, 'clusters', (pk) => readClusters(store, pk));
  const made = new WeakMap<
    readonly TargetCluster[],
    { readonly around: Surroundings; readonly targets: ClusterInventory }
  >();
  return {
    surroundings: async (namespace) => (await others(namespace)).value,
    async targets(namespace) {
      const { value: all } = await clusters(namespace);
      const { value: around } = await others(namespace);
      const known = made.get(all);
      if (known?.around === around) return known.targets;
      const targets = createInventory(all, around.groups);
      made.set(all, { around, targets });
      return targets;
    },
    async changed({ changed, notify, ...namespace }) {
      // A new token, because a process may have cached the content of any earlier one.
      const version = randomUUID();
      const segments = [...new Set(changed.map(segmentOf))];
      await store.put(
        segments.map((segment) => ({ item: { ...tokenKey(namespace, segment), version } })),
      );
      const pk = inventoryPartition(namespace);
      await store.put(
        notify.map((resource) => ({ item: { pk, sk: `${NOTIFY}${resource}`, version } })),
      );
      return version;
    },
    async tokenToNotify(namespace, resource) {
      const [item] = await store.get([
        { pk: inventoryPartition(namespace), sk: `${NOTIFY}${resource}` },
      ]);
      return item?.version ?? '';
    },
  };
}
