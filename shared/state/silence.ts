import type { Item, ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import { decodeBody, encodeBody } from '#shared/state/body.ts';
import { pages } from '#shared/state/pages.ts';

const PARTITION = 'SILENCE';

/**
 * What was found of a WEC after its last heartbeat. There is an entry for a WEC that is silent, and for a while for one
 * that speaks again.
 */
export interface Silence {
  readonly wec: string;
  /** Version of the heartbeat that was the last one, as text. */
  readonly heartbeat: string;
  /** Whether nothing has come since for longer than the limit. */
  readonly silent: boolean;
  /** Whether the workload objects on which the WEC has rows have been told. */
  readonly told: boolean;
}

/** So long an entry of a WEC that speaks again is kept: longer than any sweep runs, so that a late one finds it. */
const SPOKEN_SECONDS = 3600;

/**
 * Entries only move on: a later heartbeat goes before an earlier one; after one heartbeat a WEC first speaks, then is
 * silent; and what has been told goes before what has not.
 */
function versionOf({ heartbeat, silent, told }: Silence): string {
  return `${heartbeat}.${Number(silent)}${Number(told)}`;
}

/** Key of what was found of a WEC. */
export function silenceKey(wec: string): ItemKey {
  return { pk: PARTITION, sk: wec };
}

function itemOf(entry: Silence, nowMs: number): Item {
  const { wec, heartbeat, silent, told } = entry;
  const done = !silent && told;
  return {
    ...silenceKey(wec),
    version: versionOf(entry),
    body: encodeBody({ heartbeat, silent, told }),
    ...(done ? { expiresAt: Math.ceil(nowMs / 1000) + SPOKEN_SECONDS } : {}),
  };
}

/** The entries of all WECs that have one, by WEC. Strongly consistent. */
export async function readSilence(store: ItemStore): Promise<ReadonlyMap<string, Silence>> {
  const entries = new Map<string, Silence>();
  for await (const items of pages(store, { pk: PARTITION }))
    for (const item of items)
      entries.set(item.sk, { ...decodeBody<Omit<Silence, 'wec'>>(item), wec: item.sk });
  return entries;
}

/** Names of the WECs that are silent. One read while there are few. Strongly consistent. */
export async function readSilentWecs(store: ItemStore): Promise<ReadonlySet<string>> {
  const silent = new Set<string>();
  for (const { wec, silent: isSilent } of (await readSilence(store)).values())
    if (isSilent) silent.add(wec);
  return silent;
}

/**
 * Stores entries, each unless one that goes before it is stored.
 *
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
    (entry, index) => took[index] === true || versions.get(entry.wec) === versionOf(entry),
  );
}
