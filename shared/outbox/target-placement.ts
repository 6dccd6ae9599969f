import * as z from 'zod/mini';
import { equalJson, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import {
  type DestinationStore,
  type DestinationsName,
  destinationsName,
} from '#shared/state/membership.ts';
import { deliverRows } from './noted-rows.ts';

/** The targets of a Bundle, and the content of the Bundle's row below each of them. */
export interface Targets {
  readonly list: DestinationsName;
  readonly body: JsonObject;
}

const SORT_KEY = 'TARGETS';

/** The note of which targets have rows. */
interface Noted {
  /** These targets have rows. If `maybe` is empty, no others do. */
  readonly placed: Targets | null;
  /** Targets of which some may have rows. */
  readonly maybe: readonly Targets[];
}

const targets = looseObject({ list: destinationsName, body: z.custom<JsonObject>(isObject) });
const NOTED = bodyCodec<Noted>(
  'note of targets',
  looseObject({ placed: z.nullable(targets), maybe: z.array(targets) }),
);

const NOTHING: Noted = { placed: null, maybe: [] };

/** Targets are plain JSON. */
function asJson(targets: Targets): JsonValue {
  return targets as unknown as JsonValue;
}

/** The rows that an aggregation of a Bundle puts below Clusters. */
export interface Placing {
  /** The partition of the Bundle. */
  readonly pk: string;
  /** The revision that the aggregation has stored. */
  readonly revision: number;
  readonly wanted: Targets;
  /** The key of the row below a Cluster. Returns undefined if the name cannot be that of a Cluster. */
  readonly keyOf: (cluster: string) => ItemKey | undefined;
  readonly nowMs: number;
  /** Notifies the Clusters whose rows may have changed. */
  readonly notify: (keys: readonly ItemKey[]) => Promise<void>;
}

/** Returns the Clusters whose rows have to be written, or undefined if a list was removed meanwhile. */
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
  const placedNames =
    placed !== null && maybe.length === 0 && equalJson(placed.body, wanted.body)
      ? new Set(before?.names)
      : undefined;
  const names = new Set(now.names);
  const changed = [...all].filter(
    (name) => placedNames === undefined || placedNames.has(name) !== names.has(name),
  );
  return { wanted: names, changed };
}

/**
 * Puts a row below each target of a Bundle, and a tombstone below each former target, and notifies the Clusters
 * ({@link deliverRows}). The note only names the lists of targets. So of thousands of unchanged targets, none is read or
 * written.
 *
 * @returns false if another aggregation does the same: start again.
 */
export async function placeTargets(
  deps: { readonly store: ItemStore; readonly destinations: DestinationStore },
  placing: Placing,
): Promise<boolean> {
  const { store, destinations } = deps;
  const { pk, wanted, keyOf, ...delivery } = placing;
  let isChanged = false;
  const isDelivered = await deliverRows<Noted>(store, {
    ...delivery,
    key: { pk, sk: SORT_KEY },
    codec: NOTED,
    async changes(noted = NOTHING) {
      const { placed, maybe } = noted;
      const isPlaced =
        placed?.list.hash === wanted.list.hash && equalJson(placed.body, wanted.body);
      if (isPlaced && maybe.length === 0) return 'none';
      const found = await changedClusters(destinations, placing, noted);
      if (found === undefined) return 'outdated';
      isChanged = true;
      const others = maybe.filter((one) => !equalJson(asJson(one), asJson(wanted)));
      return {
        rows: found.changed.flatMap((cluster) => {
          const key = keyOf(cluster);
          if (key === undefined) return [];
          return [{ key, body: found.wanted.has(cluster) ? wanted.body : undefined }];
        }),
        pending: { placed, maybe: [...others, wanted] },
        done: { placed: wanted, maybe: [] },
      };
    },
  });
  if (isDelivered && isChanged) await destinations.removeBefore(pk, wanted.list);
  return isDelivered;
}
