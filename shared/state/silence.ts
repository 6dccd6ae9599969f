import * as z from 'zod/mini';
import type { SilentWecs } from '#shared/core/silence.ts';
import type { Item, ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { range } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';
import { SILENT_AFTER_PARTITION, silentAfterPrefix } from '#shared/state/silent-after-keys.ts';

/**
 * What was found for a cluster after its last heartbeat: for a WEC, or for a Cluster of Fleet. A silent cluster has an entry. A
 * cluster that reports again keeps its entry for a while.
 */
export interface Silence {
  /** The name of the WEC, or `<namespace>/<name>` of the Cluster. */
  readonly name: string;
  /** The management cluster of Fleet that has the Cluster. Absent for a WEC. */
  readonly upstream?: string;
  /** The time after which the WEC counts as silent in this entry. Default: `SILENCE_LIMIT_MS`. It is a part of the key. */
  readonly silentAfterMs?: number;
  /** Version of the heartbeat that was the last one, as text. */
  readonly heartbeat: string;
  /** Whether no heartbeat has arrived for longer than the limit. */
  readonly silent: boolean;
  /** Whether the subjects for which the cluster has rows were notified. */
  readonly notified: boolean;
  /** The time of the last contact that the cluster itself reported, if there is one. */
  readonly lastSeen?: string;
}

type SilenceBody = Omit<Silence, 'name' | 'silentAfterMs' | 'notified'> & {
  readonly told: boolean;
};

// Bodies store "notified" as `told`, the name of release 0.1.
const SILENCE = bodyCodec<SilenceBody>(
  'entry of a silent cluster',
  looseObject({
    upstream: z.exactOptional(z.string()),
    heartbeat: z.string(),
    silent: z.boolean(),
    told: z.boolean(),
    lastSeen: z.exactOptional(z.string()),
  }),
);

/** How long the entry of a WEC that reports again is kept. It is longer than any sweep runs, so that a late sweep finds it. */
const SPOKEN_SECONDS = 3600;

/**
 * Entries only move forward: a later heartbeat replaces an earlier one. After the same heartbeat, silent replaces not silent,
 * and then notified replaces not notified.
 */
function versionOf({ heartbeat, silent, notified }: Silence): string {
  return `${heartbeat}.${Number(silent)}${Number(notified)}`;
}

/** The clusters of some entries: the WECs, with `SILENCE_LIMIT_MS` or another time, or the Clusters of a management cluster. */
export type SilenceScope = Pick<Silence, 'upstream' | 'silentAfterMs'>;

/** The partition of some clusters' entries, and the prefix of their sort keys. */
function rangeOf({ upstream, silentAfterMs }: SilenceScope): { pk: string; prefix: string } {
  if (upstream !== undefined) return { pk: `SILENCE#${upstream}`, prefix: '' };
  return silentAfterMs === undefined
    ? { pk: 'SILENCE', prefix: '' }
    : { pk: SILENT_AFTER_PARTITION, prefix: silentAfterPrefix(silentAfterMs, 'W') };
}

/** The key of the entry of a WEC, or of a Cluster of a management cluster. */
export function silenceKey(name: string, scope: SilenceScope = {}): ItemKey {
  const { pk, prefix } = rangeOf(scope);
  return { pk, sk: `${prefix}${name}` };
}

function itemOf(entry: Silence, nowMs: number): Item {
  const { name, upstream, silentAfterMs, notified, ...body } = entry;
  const done = !entry.silent && notified;
  return {
    ...silenceKey(name, { ...(upstream && { upstream }), ...(silentAfterMs && { silentAfterMs }) }),
    version: versionOf(entry),
    body: SILENCE.encode({ ...body, told: notified }),
    ...(done ? { expiresAt: Math.ceil(nowMs / 1000) + SPOKEN_SECONDS } : {}),
  };
}

/** Decodes the entry of a WEC. */
export function decodeSilence(item: Item): Silence {
  return entryOf(item, '');
}

function entryOf(item: Item, prefix: string): Silence {
  const { told, ...entry } = SILENCE.decode(item);
  return { ...entry, notified: told, name: item.sk.slice(prefix.length) };
}

/** Reads the entry of one Cluster of a management cluster of Fleet, if there is one. Strongly consistent. */
export async function readSilenceOf(store: ItemStore, key: ItemKey): Promise<Silence | undefined> {
  const [item] = await store.get([key]);
  return item === undefined ? undefined : decodeSilence(item);
}

/** Reads the entries of all clusters of a scope that have one, by name. Default: those of the WECs. Strongly consistent. */
export async function readSilence(
  store: ItemStore,
  scope: SilenceScope = {},
): Promise<ReadonlyMap<string, Silence>> {
  const { pk, prefix } = rangeOf(scope);
  const entries = new Map<string, Silence>();
  for await (const items of pages(store, prefix === '' ? { pk } : range(pk, prefix)))
    for (const item of items) {
      const entry = entryOf(item, prefix);
      entries.set(entry.name, entry);
    }
  return entries;
}

/**
 * Reads the silent WECs, by name. One read as long as there are few. Strongly consistent.
 *
 * @param silentAfterMs the time after which they count as silent; default: `SILENCE_LIMIT_MS`
 */
export async function readSilentWecs(
  store: ItemStore,
  silentAfterMs?: number,
): Promise<ReadonlyMap<string, Silence>> {
  const entries = await readSilence(store, silentAfterMs === undefined ? {} : { silentAfterMs });
  return new Map([...entries].filter(([, { silent }]) => silent));
}

/** The silent WECs as the core sees them. Strongly consistent. */
export async function silentWecs(store: ItemStore): Promise<SilentWecs> {
  const entries = await readSilentWecs(store);
  return new Map([...entries].map(([name, { lastSeen }]) => [name, lastSeen]));
}

/**
 * Stores entries, unless an equal or later one is stored.
 *
 * @returns the entries that are now stored, even if another sweep has put them. An entry that was already stored as notified is
 * left out.
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
  return entries.filter((_entry, index) => {
    const { sk, version } = items[index] ?? {};
    return took[index] === true || versions.get(sk) === version;
  });
}
