import * as z from 'zod/mini';
import type { Item, ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { pages } from '#shared/state/pages.ts';

/**
 * What was found of a cluster after its last heartbeat: of a WEC, or of a Cluster of Fleet. There is an entry for one that
 * is silent, and for a while for one that speaks again.
 */
export interface Silence {
  /** Name of the WEC, or `<namespace>/<name>` of the Cluster. */
  readonly name: string;
  /** The management cluster of Fleet whose Cluster it is; absent: it is a WEC. */
  readonly upstream?: string;
  /** Version of the heartbeat that was the last one, as text. */
  readonly heartbeat: string;
  /** Whether nothing has come since for longer than the limit. */
  readonly silent: boolean;
  /** Whether the subjects on which the cluster has rows have been told. */
  readonly told: boolean;
  /** When it was last heard of, in its own words, where it says so. */
  readonly lastSeen?: string;
}

const SILENCE = bodyCodec<Omit<Silence, 'name'>>(
  'entry of a silent cluster',
  z.looseObject({
    upstream: z.exactOptional(z.string()),
    heartbeat: z.string(),
    silent: z.boolean(),
    told: z.boolean(),
    lastSeen: z.exactOptional(z.string()),
  }),
);

/** So long an entry of a WEC that speaks again is kept: longer than any sweep runs, so that a late one finds it. */
const SPOKEN_SECONDS = 3600;

/**
 * Entries only move on: a later heartbeat goes before an earlier one; after one heartbeat a WEC first speaks, then is
 * silent; and what has been told goes before what has not.
 */
function versionOf({ heartbeat, silent, told }: Silence): string {
  return `${heartbeat}.${Number(silent)}${Number(told)}`;
}

/** The partition of the WECs, or of the Clusters of a management cluster of Fleet. */
function partitionOf(upstream: string | undefined): string {
  return upstream === undefined ? 'SILENCE' : `SILENCE#${upstream}`;
}

/** Key of what was found of a WEC, or of a Cluster of a management cluster. */
export function silenceKey(name: string, upstream?: string): ItemKey {
  return { pk: partitionOf(upstream), sk: name };
}

function itemOf(entry: Silence, nowMs: number): Item {
  const { name, upstream, ...body } = entry;
  const done = !entry.silent && entry.told;
  return {
    ...silenceKey(name, upstream),
    version: versionOf(entry),
    body: SILENCE.encode(body),
    ...(done ? { expiresAt: Math.ceil(nowMs / 1000) + SPOKEN_SECONDS } : {}),
  };
}

function entryOf(item: Item): Silence {
  return { ...SILENCE.decode(item), name: item.sk };
}

/** The entry of one cluster, if it has one. Strongly consistent. */
export async function readSilenceOf(store: ItemStore, key: ItemKey): Promise<Silence | undefined> {
  const [item] = await store.get([key]);
  return item === undefined ? undefined : entryOf(item);
}

/**
 * The entries of all WECs that have one, by WEC. Strongly consistent.
 *
 * @param upstream a management cluster of Fleet: then those of its Clusters
 */
export async function readSilence(
  store: ItemStore,
  upstream?: string,
): Promise<ReadonlyMap<string, Silence>> {
  const entries = new Map<string, Silence>();
  for await (const items of pages(store, { pk: partitionOf(upstream) }))
    for (const item of items) entries.set(item.sk, entryOf(item));
  return entries;
}

/** Names of the WECs that are silent. One read while there are few. Strongly consistent. */
export async function readSilentWecs(store: ItemStore): Promise<ReadonlySet<string>> {
  const silent = new Set<string>();
  for (const { name, silent: isSilent } of (await readSilence(store)).values())
    if (isSilent) silent.add(name);
  return silent;
}

/**
 * Stores entries, each unless one that goes before it is stored.
 * @returns those that stand in the store now, also when another sweep has put them; an entry that has been told already
 *   is none of them.
 */
export async function putSilence(
  store: ItemStore,
  entries: readonly Silence[],
  nowMs: number,
): Promise<readonly Silence[]> {
  const items = entries.map((entry) => itemOf(entry, nowMs));
  const took = await store.put(items.map((item): Put => ({ item, condition: { type: 'newer' } })));
  const refused = items.filter((_item, index) => took[index] !== true);
  const stored = await store.get(refused.map(({ pk, sk }) => ({ pk, sk })));
  const versions = new Map(stored.map((item) => [item?.sk, item?.version]));
  return entries.filter(
    (entry, index) => took[index] === true || versions.get(entry.name) === versionOf(entry),
  );
}
