import * as z from 'zod/mini';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { compareAndPut } from './compare-and-put.ts';
import { type DestinationsName, destinationsName } from './membership.ts';

/** The partition of the list of all sources that have ever sent a heartbeat. */
export const HEARD_PARTITION = 'HEARD';
const KEY: ItemKey = { pk: HEARD_PARTITION, sk: 'LIST' };

/**
 * The sources that have ever sent a heartbeat, as the last sweep found them. A Binding reads this one item instead of a
 * heartbeat for each of its WECs.
 */
export interface Heard {
  /** 0 if no sweep has stored the list yet. */
  readonly revision: number;
  /** Where the names are stored, in the form of `sourceText`. */
  readonly list?: DestinationsName;
  /** Whether all Bindings were notified of the list. */
  readonly notified: boolean;
}

// Bodies store "notified" as `told`, the name of release 0.1.
const HEARD = bodyCodec<{ readonly list: DestinationsName; readonly told: boolean }>(
  'list of the sources that have sent a heartbeat',
  looseObject({ list: destinationsName, told: z.boolean() }),
);

/** Reads the list of the last sweep. Strongly consistent. */
export async function readHeard(store: ItemStore): Promise<Heard> {
  const [item] = await store.get([KEY]);
  if (item === undefined) return { revision: 0, notified: false };
  const { told, ...heard } = HEARD.decode(item);
  return { ...heard, notified: told, revision: Number(item.version) };
}

/** Stores the list after revision `heard.revision - 1`. Returns false if that revision is no longer stored. */
export function putHeard(
  store: ItemStore,
  { revision, list, notified }: Required<Heard>,
): Promise<boolean> {
  const item = {
    ...KEY,
    version: sortableNumber(revision),
    body: HEARD.encode({ list, told: notified }),
  };
  return compareAndPut(store, item, revision === 1 ? '' : sortableNumber(revision - 1));
}
