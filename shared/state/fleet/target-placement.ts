import * as z from 'zod/mini';
import { equalJson, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { compareAndPut } from '#shared/state/compare-and-put.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import {
  type DestinationStore,
  type DestinationsName,
  destinationsName,
} from '#shared/state/membership.ts';
import { fleetRowItem } from './fleet-rows.ts';

/** The targets of a Bundle, and what stands in the row that it has below each of them. */
export interface Targets {
  readonly list: DestinationsName;
  readonly body: JsonObject;
}

const SORT_KEY = 'TARGETS';

/** Which targets have rows, as it is noted. */
interface Noted {
  /** Those of these targets stand, and no others, unless there are some that may stand. */
  readonly placed: Targets | null;
  /** Targets of which some rows may stand. */
  readonly maybe: readonly Targets[];
}

const targets = z.looseObject({ list: destinationsName, body: z.custom<JsonObject>(isObject) });
const NOTED = bodyCodec<Noted>(
  'note of targets',
  z.looseObject({ placed: z.nullable(targets), maybe: z.array(targets) }),
);

const NOTHING: Noted = { placed: null, maybe: [] };

/** Targets are plain JSON. */
function asJson(targets: Targets): JsonValue {
  return targets as unknown as JsonValue;
}

function putNoted(
  store: ItemStore,
  pk: string,
  note: { readonly before: string; readonly version: string; readonly noted: Noted },
): Promise<boolean> {
  const { before, version, noted } = note;
  return compareAndPut(store, { pk, sk: SORT_KEY, version, body: NOTED.encode(noted) }, before);
}

/** What an aggregation of a Bundle wants to stand below Clusters, and whom it tells. */
export interface Placing {
  /** Partition of the Bundle. */
  readonly pk: string;
  /** The revision that the aggregation has settled. */
  readonly revision: number;
  readonly wanted: Targets;
  /** The key of the row below a Cluster; `undefined` for a name that is none of a Cluster. */
  readonly keyOf: (cluster: string) => ItemKey | undefined;
  readonly nowMs: number;
  /** Tells of the rows that may have changed. */
  readonly tell: (keys: readonly ItemKey[]) => Promise<void>;
}

/** The Clusters whose rows have to be written; `undefined`: a list has been removed meanwhile. */
async function changedClusters(
  destinations: DestinationStore,
  { pk, wanted }: Placing,
  { placed, maybe }: Noted,
): Promise<
  { readonly wanted: ReadonlySet<string>; readonly changed: readonly string[] } | undefined
> {
  const listed = [wanted, ...(placed === null ? [] : [placed]), ...maybe];
  const lists = await Promise.all(listed.map(({ list }) => destinations.get(pk, list)));
  const [now, before] = lists;
  if (now === undefined || lists.includes(undefined)) return undefined;
  const all = new Set(lists.flatMap((list) => list?.names ?? []));
  const stands =
    placed !== null && maybe.length === 0 && equalJson(placed.body, wanted.body)
      ? new Set(before?.names)
      : undefined;
  const names = new Set(now.names);
  const changed = [...all].filter(
    (name) => stands === undefined || stands.has(name) !== names.has(name),
  );
  return { wanted: names, changed };
}

/**
 * Puts a row below each target of a Bundle, and tombstones where there is no target any more, as `contribute` does for a
 * few: what may be placed is noted first, then it is placed and told of, then noted as placed. The targets are noted as
 * lists: of thousands that stay nothing is read or written.
 *
 * @returns false when another aggregation does the same: start again.
 */
export async function placeTargets(
  deps: { readonly store: ItemStore; readonly destinations: DestinationStore },
  placing: Placing,
): Promise<boolean> {
  const { store, destinations } = deps;
  const { pk, revision, wanted, keyOf, nowMs, tell } = placing;
  const [item] = await store.get([{ pk, sk: SORT_KEY }]);
  const before = item?.version ?? '';
  const noted = item === undefined ? NOTHING : NOTED.decode(item);
  const { placed, maybe } = noted;
  const isPlaced = placed?.list.hash === wanted.list.hash && equalJson(placed.body, wanted.body);
  if (isPlaced && maybe.length === 0) return true;
  const version = sortableNumber(revision);
  const pending = `${version}.0`;
  const found = await changedClusters(destinations, placing, noted);
  if (found === undefined || pending <= before) return false;
  const others = maybe.filter((one) => !equalJson(asJson(one), asJson(wanted)));
  const announced = { placed, maybe: [...others, wanted] };
  if (!(await putNoted(store, pk, { before, version: pending, noted: announced }))) return false;
  const rows = found.changed.flatMap((cluster) => {
    const key = keyOf(cluster);
    return key === undefined ? [] : [{ key, isWanted: found.wanted.has(cluster) }];
  });
  await store.put(
    rows.map(
      ({ key, isWanted }): Put => ({
        item: fleetRowItem(key, isWanted ? wanted.body : undefined, { version, nowMs }),
        condition: { type: 'newer' },
      }),
    ),
  );
  await tell(rows.map(({ key }) => key));
  const done = { before: pending, version: `${version}.1`, noted: { placed: wanted, maybe: [] } };
  if (!(await putNoted(store, pk, done))) return false;
  await destinations.removeBefore(pk, wanted.list);
  return true;
}
