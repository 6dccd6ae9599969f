import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { compareAndPut } from '#shared/state/compare-and-put.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { fleetRowItem } from './fleet-rows.ts';

/** A row that a subject has below another one, as a result of its aggregation. */
export interface Contribution {
  readonly key: ItemKey;
  readonly body: JsonValue;
}

const SORT_KEY = 'CONTRIBUTED';

/** What a subject has contributed: hashes by key; `''`: something may stand there, or not. */
type Contributed = Readonly<Record<string, string>>;

const CONTRIBUTED = bodyCodec<Contributed>(
  'note of contributions',
  z.record(z.string(), z.string()),
);

/** The contributions of a subject as they are noted. */
interface Noted {
  /** `''`: nothing is noted yet. */
  readonly version: string;
  readonly hashes: Contributed;
}

function textOf({ pk, sk }: ItemKey): string {
  return `${pk}|${sk}`;
}

function keyOf(text: string): ItemKey {
  const separator = text.indexOf('|');
  return { pk: text.slice(0, separator), sk: text.slice(separator + 1) };
}

async function readNoted(store: ItemStore, pk: string): Promise<Noted> {
  const [item] = await store.get([{ pk, sk: SORT_KEY }]);
  return item === undefined
    ? { version: '', hashes: {} }
    : { version: item.version ?? '', hashes: CONTRIBUTED.decode(item) };
}

/** Notes something in the place of what stood under a version; false when something else stands there. */
function putNoted(
  store: ItemStore,
  pk: string,
  { before, version, hashes }: Noted & { readonly before: string },
): Promise<boolean> {
  const item = { pk, sk: SORT_KEY, version, body: CONTRIBUTED.encode(hashes) };
  return compareAndPut(store, item, before);
}

/** What an aggregation wants to stand below other subjects, and whom it tells. */
export interface Contributing {
  /** Partition of the subject that contributes. */
  readonly pk: string;
  /** The revision that the aggregation has settled. */
  readonly revision: number;
  readonly wanted: readonly Contribution[];
  readonly nowMs: number;
  /** Tells of the rows that have changed. */
  readonly tell: (keys: readonly ItemKey[]) => Promise<void>;
}

/**
 * Puts the rows that have changed, and tombstones for those that are wanted no more, tells of them, and only then notes
 * that they stand; so a crash at any point is made good by the next aggregation. Rows carry the revision of the
 * aggregation, and whoever contributes notes first where: a slower one either finds the note of a later revision, or its
 * rows are in the note that the later one finds.
 *
 * @returns false when another aggregation contributes: start again.
 */
export async function contribute(store: ItemStore, what: Contributing): Promise<boolean> {
  const { pk, revision, wanted, nowMs, tell } = what;
  const noted = await readNoted(store, pk);
  const hashes = new Map(
    wanted.map(({ key, body }) => [textOf(key), contentHash(stringifyJson(body))]),
  );
  const bodies = new Map(wanted.map(({ key, body }) => [textOf(key), body]));
  const all = new Set([...Object.keys(noted.hashes), ...hashes.keys()]);
  const changed = [...all].filter((key) => noted.hashes[key] !== hashes.get(key)).sort();
  if (changed.length === 0) return true;
  const version = sortableNumber(revision);
  const pending = {
    before: noted.version,
    version: `${version}.0`,
    hashes: { ...noted.hashes, ...Object.fromEntries(changed.map((key) => [key, ''])) },
  };
  if (pending.version <= noted.version || !(await putNoted(store, pk, pending))) return false;
  await store.put(
    changed.map((key) => ({
      item: fleetRowItem(keyOf(key), bodies.get(key), { version, nowMs }),
      condition: { type: 'newer' },
    })),
  );
  await tell(changed.map(keyOf));
  const done = { version: `${version}.1`, hashes: Object.fromEntries(hashes) };
  return putNoted(store, pk, { before: pending.version, ...done });
}
