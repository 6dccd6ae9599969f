import { LRUCache } from 'lru-cache';
import type { Destinations } from '#shared/core/binding/destinations.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { StatusSubject } from '#shared/core/status-api/create-wec-status.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { SORT } from '#shared/state/keys.ts';
import {
  type DestinationStore,
  type Membership,
  readOldestMemberships,
} from '#shared/state/membership.ts';
import { readObserved } from '#shared/state/observed.ts';
import { retryRead } from '#shared/state/retry-contention.ts';

/** A workload object with its Bindings. */
export interface BoundObject extends StatusSubject {
  /** The partition of its items. */
  readonly pk: string;
  /** Specs may be added until the rows that name them are read. */
  readonly specs: Map<string, JsonValue>;
  readonly object?: JsonObject;
  /** The Bindings that count for it, sorted by name. Empty if no Binding names it. */
  readonly memberships: readonly WorkloadMembership[];
  /** Names of the Bindings that request something and do not count. */
  readonly refused: readonly string[];
  /** The WECs to which the Bindings send it, as their names are written in the API, in that order. */
  readonly wecs: readonly string[];
}

const MAX_REMEMBERED = 50;

/** How the API writes the name of a WEC inside another name (`wecStatusName`). */
export function writtenWec(wec: string): string {
  return wec.replaceAll(':', '~');
}

/** The inverse of {@link writtenWec}. */
export function wecOf(written: string): string {
  return written.replaceAll('~', ':');
}

/** Reads workload objects with their Bindings. Destination lists are cached, because they are immutable. */
export class BoundObjects {
  readonly #store: ItemStore;
  readonly #wds: string;
  readonly #destinations: DestinationStore;
  readonly #written = new LRUCache<string, readonly string[]>({ max: MAX_REMEMBERED });

  constructor(store: ItemStore, wds: string, destinations: DestinationStore) {
    this.#store = store;
    this.#wds = wds;
    this.#destinations = destinations;
  }

  /** Reads an object. Undefined if no Binding names it. */
  async read(workload: WorkloadName): Promise<BoundObject | undefined> {
    const pk = subjectPartition({ type: 'workload', workload: { ...workload, wds: this.#wds } });
    return retryRead(`the Bindings of ${pk}`, async () => {
      const [[observed], { counted, refused }] = await Promise.all([
        readObserved(this.#store, [{ pk, sk: SORT.object }]),
        readOldestMemberships(this.#store, pk),
      ]);
      const [first] = counted;
      if (first === undefined) return { found: undefined };
      const memberships = await this.#withDestinations(counted);
      if (memberships === undefined) return undefined;
      // record-events stores objects that have apiVersion, kind and metadata.
      const object = observed?.content as WorkloadObject | undefined;
      const known = object === undefined ? {} : { object };
      const version = object?.apiVersion.split('/').at(-1) ?? first.version;
      const wecs = this.#wecsOf(memberships.map(({ destinations }) => destinations));
      const read = { ...known, specs: new Map(), memberships, refused, wecs };
      return { found: { pk, workload, version, ...read } };
    });
  }

  /** The memberships with their lists. Undefined if a Binding has just got another list. */
  async #withDestinations(
    memberships: readonly Membership[],
  ): Promise<readonly WorkloadMembership[] | undefined> {
    const complete: WorkloadMembership[] = [];
    for (const membership of memberships) {
      const binding = { type: 'binding', wds: this.#wds, name: membership.binding } as const;
      const name = membership.destinations;
      const destinations = await this.#destinations.get(subjectPartition(binding), name);
      if (destinations === undefined) return undefined;
      complete.push({ ...membership, destinations });
    }
    return complete;
  }

  #wecsOf(lists: readonly Destinations[]): readonly string[] {
    const key = lists
      .map(({ hash }) => hash)
      .sort()
      .join(' ');
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    // The names of sources are ASCII, so every order of characters is the same.
    const written = [...new Set(lists.flatMap(({ names }) => names.map(writtenWec)))].sort();
    this.#written.set(key, written);
    return written;
  }
}

/** Names of the Bindings that send an object to a WEC, sorted. */
export function bindingsOf({ memberships }: BoundObject, wec: string): readonly string[] {
  return memberships
    .filter(({ destinations }) => destinations.set.has(wec))
    .map(({ binding }) => binding);
}
