import * as z from 'zod/mini';
import type { FleetResource } from '#shared/core/fleet-object.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { Item, ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { updateItem } from '#shared/state/compare-and-put.ts';
import { SORT } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import { fleetRowItem } from './fleet-rows.ts';

/** An object without a status of its own to write, but with rows below other objects: a BundleDeployment or a Job. */
export interface PlacedRef {
  readonly upstream: string;
  readonly resource: Extract<FleetResource, 'bundledeployments' | 'jobs'>;
  readonly namespace: string;
  readonly name: string;
}

const PREFIX = 'P#';

/**
 * The number of former keys that are kept, the latest ones. The tombstones at older keys are already stored: a process that
 * could put an older row there is behind by as many statements.
 */
const MAX_FORMER = 16;

/** The key of the stored state of such an object: `P#<upstream>/<resource>/<namespace>/<name>`. */
export function placedKey({ upstream, resource, namespace, name }: PlacedRef): ItemKey {
  return { pk: `${PREFIX}${upstream}/${resource}/${namespace}/${name}`, sk: SORT.object };
}

/** Whether a key is one of {@link placedKey}. */
export function isPlacedKey({ pk }: ItemKey): boolean {
  return pk.startsWith(PREFIX);
}

/** A row of an object below another object. */
export interface PlacedRow {
  readonly key: ItemKey;
  readonly body: JsonValue;
}

interface StoredRowKeys {
  /** The keys of the object's current rows. */
  readonly places: readonly ItemKey[];
  /** The keys of former rows. Every statement puts tombstones there. */
  readonly former: readonly ItemKey[];
}

const itemKey = looseObject({ pk: z.string(), sk: z.string() });
const ROW_KEYS = bodyCodec<StoredRowKeys>(
  'note of places',
  looseObject({ places: z.array(itemKey), former: z.array(itemKey) }),
);

/** The keys of the rows of an object, by the item of {@link placedKey}. */
export function rowKeysIn(item: Item): readonly ItemKey[] {
  return ROW_KEYS.decode(item).places;
}

const NO_ROW_KEYS: StoredRowKeys = { places: [], former: [] };

function without(all: readonly ItemKey[], some: readonly ItemKey[]): readonly ItemKey[] {
  const left = new Map(all.map((key) => [`${key.pk} ${key.sk}`, key]));
  for (const { pk, sk } of some) left.delete(`${pk} ${sk}`);
  return [...left.values()];
}

/** A statement of an object's source about it. */
export interface PlacedStatement {
  readonly key: ItemKey;
  readonly version: string;
  /** Empty if the object is deleted, or belongs to no other object. */
  readonly rows: readonly PlacedRow[];
  /** Called before rows are put if the object has none. */
  readonly beforeFirst?: () => Promise<void>;
}

/** The item with the keys of the rows of a statement, and the earlier keys. */
function rowKeysItem(
  { key, version, rows }: PlacedStatement,
  stored: StoredRowKeys,
  nowMs: number,
): { readonly item: Item; readonly result: StoredRowKeys } {
  const places = rows.map((row) => row.key);
  const earlier = [...stored.places, ...stored.former];
  const next = { places, former: without(earlier, places).slice(0, MAX_FORMER) };
  const expiry = rows.length > 0 ? {} : { expiresAt: tombstoneExpiry(nowMs) };
  return { item: { ...key, version, body: ROW_KEYS.encode(next), ...expiry }, result: next };
}

/** Stores the keys of the rows of this statement and returns them. Returns undefined if a newer statement is stored. */
function claim(
  store: ItemStore,
  statement: PlacedStatement,
  nowMs: number,
): Promise<StoredRowKeys | undefined> {
  return updateItem<StoredRowKeys | undefined>(store, statement.key, async (item) => {
    const version = item?.version ?? '';
    if (version > statement.version) return { result: undefined };
    const stored = item === undefined ? NO_ROW_KEYS : ROW_KEYS.decode(item);
    if (version === statement.version) return { result: stored };
    if (statement.rows.length > 0 && stored.places.length === 0) await statement.beforeFirst?.();
    return rowKeysItem(statement, stored, nowMs);
  });
}

/**
 * Puts the rows of an object, and tombstones at its former keys, unless a newer statement is stored. The keys are stored
 * first. So if a crash follows, the repeated statement completes the work.
 *
 * @returns the keys at which something may have changed; empty if a newer statement is stored.
 */
export async function placeRows(
  store: ItemStore,
  statement: PlacedStatement,
  nowMs: number,
): Promise<readonly ItemKey[]> {
  const claimed = await claim(store, statement, nowMs);
  if (claimed === undefined) return [];
  const { version } = statement;
  const bodies = new Map(statement.rows.map(({ key, body }) => [`${key.pk} ${key.sk}`, body]));
  const keys = [...claimed.places, ...claimed.former];
  await store.put(
    keys.map(
      (key): Put => ({
        item: fleetRowItem(key, bodies.get(`${key.pk} ${key.sk}`), { version, nowMs }),
        condition: { type: 'newer' },
      }),
    ),
  );
  return keys;
}
