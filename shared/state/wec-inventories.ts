import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { equalJson, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import type { WecInventory } from '#shared/core/wec-inventory.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { compareAndPut, updateItem } from '#shared/state/compare-and-put.ts';
import { range } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';

/** The inventories of all WECs share one partition, so a process reads them in a few pages. */
const PARTITION = 'INVENTORY';
const TOKEN: ItemKey = { pk: PARTITION, sk: 'TOKEN' };
/**
 * The partition of the WECs whose inventory has changed since the Bindings were notified. An entry is removed after the change was
 * announced.
 */
export const CHANGED_INVENTORIES = 'INVENTORY-CHANGED';

/** What a hub, or a WEC's forwarder, has last reported about the inventory of the WEC. */
interface StoredInventory {
  /** Absent if it knows nothing of the WEC any more. */
  readonly inventory?: WecInventory;
  /** Whether a note was put for the sweep that notifies the Bindings. */
  readonly noted: boolean;
}

const texts = z.record(z.string(), z.string());
const INVENTORY = bodyCodec<StoredInventory>(
  'inventory of a WEC',
  looseObject({
    inventory: z.exactOptional(looseObject({ labels: texts, annotations: texts })),
    noted: z.boolean(),
  }),
);

const OWN = 'forwarder/';
const MANAGED = 'hub/';

/** A WEC, and the hub that reports its ManagedCluster. Without a hub: the WEC as its own forwarder reports it. */
export interface InventoryReporter {
  readonly hub?: string;
  readonly wec: string;
}

function keyOf({ hub, wec }: InventoryReporter): ItemKey {
  return { pk: PARTITION, sk: hub === undefined ? `${OWN}${wec}` : `${MANAGED}${hub}/${wec}` };
}

/** No name contains a slash. */
function parseReporter(sk: string): InventoryReporter {
  const [, first = '', second] = sk.split('/');
  return second === undefined ? { wec: first } : { hub: first, wec: second };
}

/** The item whose version says when the last complete listing of a hub began. */
export function hubListedKey(hub: string): ItemKey {
  return { pk: PARTITION, sk: `listed/${hub}` };
}

/** The item whose version is the name of the hub that the embedded stack itself follows. */
export const FOLLOWED_HUB: ItemKey = { pk: PARTITION, sk: 'FOLLOWED' };

/** A WEC whose inventory has changed, and the version of the note. */
export interface ChangedInventory {
  readonly wec: string;
  readonly version: string;
}

/** Puts a note for the sweep. Each note has a version of its own, so that a later one is not removed with an earlier one. */
async function noteChange(store: ItemStore, wec: string): Promise<void> {
  await store.put([{ item: { pk: CHANGED_INVENTORIES, sk: wec, version: randomUUID() } }]);
}

/** What a hub, or a WEC's forwarder, says about the WEC. */
export interface InventoryStatement extends InventoryReporter {
  /** As `versionText` writes it. */
  readonly version: string;
  /** Absent if it knows nothing of the WEC any more. */
  readonly inventory?: WecInventory;
}

function isSame(stored: StoredInventory | undefined, { inventory }: InventoryStatement): boolean {
  // An inventory is plain JSON.
  const json = (value: WecInventory | undefined) => (value ?? null) as JsonObject | null;
  return (stored?.noted ?? true) && equalJson(json(stored?.inventory), json(inventory));
}

/**
 * Stores what a hub or a forwarder says about a WEC, unless something newer is stored. If the inventory has changed, then puts a
 * note for the sweep, and then stores that it did. After a crash, the same statement puts the note again, and so does a later
 * statement with the same content.
 *
 * That a ManagedCluster is gone is stored even if nothing was known of it: the event of its labels may be late. What a WEC's
 * forwarder reported late is outdated by the snapshot version.
 */
export async function putWecInventory(
  store: ItemStore,
  statement: InventoryStatement,
  nowMs: number,
): Promise<void> {
  const { hub, wec, version, inventory } = statement;
  const key = keyOf(statement);
  const itemOf = (noted: boolean): Item => ({
    ...key,
    version,
    body: INVENTORY.encode({ ...(inventory && { inventory }), noted }),
    ...(inventory === undefined ? { expiresAt: tombstoneExpiry(nowMs) } : {}),
  });
  const mustNote = await updateItem<boolean>(store, key, (item) => {
    const stored = item && INVENTORY.decode(item);
    if (item?.version === version) return { result: stored?.noted === false };
    const isOutdated = item?.version !== undefined && item.version > version;
    const isOfNothing = item === undefined && inventory === undefined && hub === undefined;
    if (isOutdated || isOfNothing) return { result: false };
    const noted = isSame(stored, statement);
    return { item: itemOf(noted), result: !noted };
  });
  if (!mustNote) return;
  await noteChange(store, wec);
  await compareAndPut(store, itemOf(true), version);
}

/** Removes everything that is known about the inventory of a WEC, and puts a note for the sweep. */
export async function removeWecInventory(store: ItemStore, wec: string): Promise<void> {
  const keys = [keyOf({ wec })];
  for await (const items of pages(store, range(PARTITION, MANAGED)))
    for (const { pk, sk } of items) if (parseReporter(sk).wec === wec) keys.push({ pk, sk });
  await store.delete(keys.map((key) => ({ key })));
  await noteChange(store, wec);
}

/** Reads the WECs whose ManagedClusters a hub has reported and that are not known to be gone, with the versions. */
export async function readHubInventories(
  store: ItemStore,
  hub: string,
): Promise<readonly { readonly wec: string; readonly version: string }[]> {
  const found: { wec: string; version: string }[] = [];
  for await (const items of pages(store, range(PARTITION, `${MANAGED}${hub}/`)))
    for (const item of items) {
      const { inventory, noted } = INVENTORY.decode(item);
      const { wec } = parseReporter(item.sk);
      if (inventory !== undefined || !noted) found.push({ wec, version: item.version ?? '' });
    }
  return found;
}

/** Reads the WECs whose inventory has changed since the Bindings were notified. */
export async function readChangedInventories(
  store: ItemStore,
): Promise<readonly ChangedInventory[]> {
  const changed: ChangedInventory[] = [];
  for await (const items of pages(store, { pk: CHANGED_INVENTORIES }))
    for (const { sk: wec, version = '' } of items) changed.push({ wec, version });
  return changed;
}

/**
 * Announces that inventories have changed. Every process then reads them again.
 *
 * @returns the new token
 */
export async function announceInventories(store: ItemStore): Promise<string> {
  // A new token, because a process may have cached the inventories of any earlier one.
  const version = randomUUID();
  await store.put([{ item: { ...TOKEN, version } }]);
  return version;
}

/**
 * Announces what is noted for a WEC, so that every process reads it from now on. The note stays: sweep-stale notifies the
 * Bindings.
 */
export async function announceInventoryOf(store: ItemStore, wec: string): Promise<void> {
  const [note] = await store.get([{ pk: CHANGED_INVENTORIES, sk: wec }]);
  if (note !== undefined) await announceInventories(store);
}

/** Removes the notes that were read, except those that were put again. */
export async function forgetChangedInventories(
  store: ItemStore,
  changed: readonly ChangedInventory[],
): Promise<void> {
  await store.delete(
    changed.map(({ wec, version }) => ({ key: { pk: CHANGED_INVENTORIES, sk: wec }, version })),
  );
}

/** What is known of a WEC, with a hash of it. */
export interface ReportedInventory extends WecInventory {
  readonly hash: string;
}

/** Reads what the hubs, or the WECs' forwarders, say of each WEC. If several hubs do, the first one by name counts. */
async function readReported(
  store: ItemStore,
  prefix: typeof OWN | typeof MANAGED,
): Promise<ReadonlyMap<string, ReportedInventory>> {
  const reported = new Map<string, ReportedInventory>();
  const hubs = new Map<string, string>();
  for await (const items of pages(store, range(PARTITION, prefix)))
    for (const item of items) {
      const { inventory } = INVENTORY.decode(item);
      const { hub = '', wec } = parseReporter(item.sk);
      if (inventory === undefined || hub >= (hubs.get(wec) ?? '\uffff')) continue;
      hubs.set(wec, hub);
      const { labels, annotations } = inventory;
      reported.set(wec, {
        labels,
        annotations,
        hash: contentHash(stringifyJson({ labels, annotations })),
      });
    }
  return reported;
}

/** What is known of each WEC, by name. */
export type KnownWecs = ReadonlyMap<string, ReportedInventory>;

/** The inventories of all WECs, and the announcement after which they were read. */
export interface InventoriesReading {
  /** Another one after each announcement. `''`: there was none yet. */
  readonly token: string;
  readonly wecs: KnownWecs;
}

/** The inventories of all WECs. A process caches them until a change is announced. */
export interface WecInventories {
  /** Reads what is known of each WEC. The result has every change that was announced before the call. */
  read(): Promise<KnownWecs>;
  /** As {@link read}, with the announcement: results of the same one may still differ by changes that are not announced. */
  readWithToken(): Promise<InventoriesReading>;
}

/** What is known of each WEC. If a WEC has a ManagedCluster, what its forwarder says does not count. */
async function readAll(store: ItemStore): Promise<KnownWecs> {
  const own = await readReported(store, OWN);
  return new Map([...own, ...(await readReported(store, MANAGED))]);
}

/** Creates the inventories in an item store. Concurrent calls share one read, because the inventories may be large. */
export function createWecInventories(store: ItemStore): WecInventories {
  let cached: { readonly token: string; readonly known: ReturnType<typeof readAll> } | undefined;
  const readWithToken = async (): Promise<InventoriesReading> => {
    // The token is read before the inventories. A change that is stored later is announced after that.
    const [item] = await store.get([TOKEN]);
    const token = item?.version ?? '';
    // In a new state, results do not wait for the first announcement.
    if (token === '') return { token, wecs: await readAll(store) };
    if (cached?.token === token) return { token, wecs: await cached.known };
    const known = readAll(store);
    cached = { token, known };
    known.catch(() => {
      if (cached?.known === known) cached = undefined;
    });
    return { token, wecs: await known };
  };
  return { readWithToken, read: async () => (await readWithToken()).wecs };
}
