import * as z from 'zod/mini';
import type { FleetResource } from '#shared/core/fleet/fleet-object.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { Item, ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { updateItem } from '#shared/state/compare-and-put.ts';
import { SORT } from '#shared/state/keys.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import { fleetRowItem } from './fleet-rows.ts';

/** An object that has no status of its own to be written, but rows below others: a BundleDeployment, a Job. */
export interface PlacedRef {
  readonly upstream: string;
  readonly resource: Extract<FleetResource, 'bundledeployments' | 'jobs'>;
  readonly namespace: string;
  readonly name: string;
}

const PREFIX = 'P#';

/**
 * So many former places are kept, the latest ones. The tombstones of the others stand already: whoever could put an older row
 * there has been overtaken as many times.
 */
const MAX_FORMER = 16;

/** Key of what is known of such an object: `P#<upstream>/<resource>/<namespace>/<name>`. */
export function placedKey({ upstream, resource, namespace, name }: PlacedRef): ItemKey {
  return { pk: `${PREFIX}${upstream}/${resource}/${namespace}/${name}`, sk: SORT.object };
}

/** Whether a key is one of {@link placedKey}. */
export function isPlacedKey({ pk }: ItemKey): boolean {
  return pk.startsWith(PREFIX);
}

/** A row that an object has below another one. */
export interface PlacedRow {
  readonly key: ItemKey;
  readonly body: JsonValue;
}

interface StoredPlaces {
  /** Where the object has rows. */
  readonly places: readonly ItemKey[];
  /** Where it may have had some: tombstones go there with every statement. */
  readonly former: readonly ItemKey[];
}

const itemKey = z.looseObject({ pk: z.string(), sk: z.string() });
const PLACES = bodyCodec<StoredPlaces>(
  'note of places',
  z.looseObject({ places: z.array(itemKey), former: z.array(itemKey) }),
);

const NOWHERE: StoredPlaces = { places: [], former: [] };

function without(all: readonly ItemKey[], some: readonly ItemKey[]): readonly ItemKey[] {
  const left = new Map(all.map((key) => [`${key.pk} ${key.sk}`, key]));
  for (const { pk, sk } of some) left.delete(`${pk} ${sk}`);
  return [...left.values()];
}

/** What an object's source says of it. */
export interface PlacedStatement {
  readonly key: ItemKey;
  readonly version: string;
  /** None: the object is gone, or belongs to nothing. */
  readonly rows: readonly PlacedRow[];
  /** Done before rows are put where none stand. */
  readonly beforeFirst?: () => Promise<void>;
}

/** The item of a statement's places, after those that stood before. */
function placesItem(
  { key, version, rows }: PlacedStatement,
  stored: StoredPlaces,
  nowMs: number,
): { readonly item: Item; readonly result: StoredPlaces } {
  const places = rows.map((row) => row.key);
  const known = [...stored.places, ...stored.former];
  const next = { places, former: without(known, places).slice(0, MAX_FORMER) };
  const expiry = rows.length > 0 ? {} : { expiresAt: tombstoneExpiry(nowMs) };
  return { item: { ...key, version, body: PLACES.encode(next), ...expiry }, result: next };
}

/** What this statement makes of the stored places; `undefined`: somebody has said something newer. */
function claim(
  store: ItemStore,
  statement: PlacedStatement,
  nowMs: number,
): Promise<StoredPlaces | undefined> {
  return updateItem<StoredPlaces | undefined>(store, statement.key, async (item) => {
    const version = item?.version ?? '';
    if (version > statement.version) return { result: undefined };
    const stored = item === undefined ? NOWHERE : PLACES.decode(item);
    if (version === statement.version) return { result: stored };
    if (statement.rows.length > 0 && stored.places.length === 0) await statement.beforeFirst?.();
    return placesItem(statement, stored, nowMs);
  });
}

/**
 * Puts the rows of an object where they belong, and tombstones where it had some before, if nothing newer has been said of
 * it. The places are stored first, so a crash in between is made good when the statement comes again.
 *
 * @returns the keys at which something may have changed; none: something newer has been said.
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
