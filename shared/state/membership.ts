import { LRUCache } from 'lru-cache';
import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { createDestinations, type Destinations } from '#shared/core/binding/destinations.ts';
import type { Modulation } from '#shared/core/binding/downsync-modulation.ts';
import { type OldestBindings, oldestBindings } from '#shared/core/binding/oldest-bindings.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec, textCodec } from '#shared/state/body.ts';
import { getDocument, putDocument, removeDocuments } from '#shared/state/document.ts';
import { RANGE, range, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';

/** The name of a stored list of destinations. */
export interface DestinationsName {
  readonly hash: string;
  /** The revision of the Binding's head that stored it. */
  readonly revision: number;
  readonly chunks: number;
}

/** The schema of a {@link DestinationsName}. */
export const destinationsName = looseObject({
  hash: z.string(),
  revision: z.number(),
  chunks: z.number(),
});

/** A Binding that names a workload object, and what it requests for the object. Stored below the workload. */
export interface Membership {
  readonly binding: string;
  readonly bindingUid: string;
  /** The UID of the BindingPolicy, if there is one. */
  readonly policyUid?: string;
  /** When the API server created the Binding. Absent if it is not known, or if an older release stored the membership. */
  readonly created?: string;
  /** The API version of the workload object. */
  readonly version: string;
  readonly modulation: Modulation;
  /** As in a `WorkloadMembership`. */
  readonly silentAfterMs?: number;
  /**
   * A hash of what the named collectors read about the destinations besides rows. It only notifies the object: an aggregation reads
   * what is there then. Absent if they read nothing else, and in what older releases stored.
   */
  readonly wecFacts?: string;
  readonly destinations: DestinationsName;
  /** The content versions of the named collectors, in the order of their names; `''` for a collector that does not exist. */
  readonly collectorVersions: readonly string[];
}

/** A stored membership, or the tombstone of one. */
export type StoredMembership = Membership | { readonly deleted: true };

const MEMBERSHIP = bodyCodec<StoredMembership>(
  'membership',
  z.union([
    looseObject({ deleted: z.literal(true) }),
    looseObject({
      binding: z.string(),
      bindingUid: z.string(),
      policyUid: z.exactOptional(z.string()),
      created: z.exactOptional(z.string()),
      version: z.string(),
      modulation: looseObject({
        statusCollectors: z.array(z.string()),
        wantSingletonReportedState: z.boolean(),
        wantMultiWECReportedState: z.boolean(),
      }),
      silentAfterMs: z.exactOptional(z.number()),
      wecFacts: z.exactOptional(z.string()),
      destinations: destinationsName,
      collectorVersions: z.array(z.string()),
    }),
  ]),
);

/** The body of a membership, or of its tombstone. */
export function membershipBody(membership: StoredMembership): string | Uint8Array {
  return MEMBERSHIP.encode(membership);
}

/**
 * Reads the Bindings that name a workload, by name: the Bindings that count for it, and the names of those that do not
 * (`oldestBindings`). Of the latter, at most one page is in memory at a time.
 */
export async function readOldestMemberships(
  store: ItemStore,
  pk: string,
  limit?: number,
): Promise<OldestBindings<Membership>> {
  let counted: readonly Membership[] = [];
  const refused: string[] = [];
  for await (const items of pages(store, range(pk, RANGE.membership))) {
    const stored = items.map((item) => MEMBERSHIP.decode(item));
    const named = stored.filter((one): one is Membership => !('deleted' in one));
    const oldest = oldestBindings([...counted, ...named], limit);
    counted = oldest.counted;
    refused.push(...oldest.refused);
  }
  return { counted, refused };
}

const MAX_REMEMBERED = 100;

/** The destination lists of Bindings. Each list is stored once below its Binding, and cached by the process. */
export interface DestinationStore {
  /** Stores a list for a revision of its Binding, unless it is the same as the list before. */
  put(
    pk: string,
    names: readonly string[],
    stored: { readonly before: DestinationsName | undefined; readonly revision: number },
  ): Promise<DestinationsName>;
  /** Reads a list. Returns undefined if it was removed, because the Binding now has another one. */
  get(pk: string, name: DestinationsName): Promise<Destinations | undefined>;
  /** Removes the lists that earlier revisions stored. */
  removeBefore(pk: string, name: DestinationsName): Promise<void>;
}

const LIST = textCodec('list of destinations', z.array(z.string()));
const NO_DESTINATIONS = contentHash(LIST.encode([]));

/** Whether a list has no WEC, as that of a Binding that was deleted. */
export function isEmptyList({ hash }: DestinationsName): boolean {
  return hash === NO_DESTINATIONS;
}

function documentOf(pk: string, list: DestinationsName): { pk: string; name: string } {
  return { pk, name: `${RANGE.destinations}${sortableNumber(list.revision)}#${list.hash}` };
}

/** Creates the destination lists in an item store. */
export function createDestinationStore(store: ItemStore): DestinationStore {
  const remembered = new LRUCache<string, Destinations>({ max: MAX_REMEMBERED });
  return {
    async put(pk, names, { before, revision }) {
      const text = LIST.encode([...names]);
      const hash = contentHash(text);
      if (before?.hash === hash) return before;
      const chunks = await putDocument(store, documentOf(pk, { hash, revision, chunks: 0 }), text);
      return { hash, revision, chunks };
    },
    async get(pk, name) {
      const known = remembered.get(name.hash);
      if (known !== undefined) return known;
      const document = documentOf(pk, name);
      const text = await getDocument(store, document, name.chunks);
      if (text === undefined) return undefined;
      const list = createDestinations(name.hash, LIST.decode(text, { pk, sk: document.name }));
      remembered.set(name.hash, list);
      return list;
    },
    removeBefore(pk, name) {
      const kept = documentOf(pk, name).name;
      return removeDocuments(store, { pk, name: RANGE.destinations }, (other) => other < kept);
    },
  };
}
