import type { EventSource } from '#shared/core/event.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { type Head, readHead } from '#shared/state/head.ts';
import { parseReportedKey, range, reportedKey, SORT, sortableNumber } from '#shared/state/keys.ts';
import { readObserved } from '#shared/state/observed.ts';
import { pages } from '#shared/state/pages.ts';

/** The sort key of the last revision that all memberships of a Binding follow. */
const FOLLOWED = 'FOLLOWED';

/**
 * The key of the item that says that a source has reported everything since the state began. For a WEC, that is the end of a
 * listing. For a WDS, all memberships must follow its Bindings too, because memberships show which Bindings count for an
 * object.
 */
function listedKey(source: EventSource): ItemKey {
  return source.type === 'wds'
    ? { pk: sourcePartition(source), sk: 'LISTED' }
    : snapshotKey(source);
}

function snapshotKey(source: EventSource): ItemKey {
  return { pk: sourcePartition(source), sk: SORT.snapshot };
}

/**
 * Whether a source has completed a listing since the state began. For a WDS, the strays of each workload object are stored from
 * then on ({@link putStrays}), but its Bindings may not be followed yet.
 */
export async function hasEndedListing(store: ItemStore, source: EventSource): Promise<boolean> {
  const [snapshot] = await store.get([snapshotKey(source)]);
  return snapshot !== undefined;
}

/** The sources that are known to have reported everything. A process caches them, because a listing cannot be undone. */
export interface Listings {
  /** Returns the sources that have not, in the given order. */
  missing(sources: readonly EventSource[]): Promise<readonly EventSource[]>;
}

/** Creates the listings of a store, with an empty cache. */
export function createListings(store: ItemStore): Listings {
  const known = new Set<string>();
  return {
    async missing(sources) {
      const asked = sources.filter((source) => !known.has(sourcePartition(source)));
      if (asked.length === 0) return [];
      const items = await store.get(asked.map(listedKey));
      for (const item of items) if (item !== undefined) known.add(item.pk);
      return asked.filter((source) => !known.has(sourcePartition(source)));
    },
  };
}

type BindingSubject = Extract<Subject, { type: 'binding' }>;

/** Stores that every membership of a Binding follows a revision of the Binding. */
export async function markFollowed(
  store: ItemStore,
  binding: BindingSubject,
  revision: number,
): Promise<void> {
  const key = { pk: subjectPartition(binding), sk: FOLLOWED };
  await store.put([
    { item: { ...key, version: sortableNumber(revision) }, condition: { type: 'newer' } },
  ]);
}

/** Whether the memberships follow the last report about a Binding, or about the BindingPolicy of its name. */
async function isFollowed(store: ItemStore, key: ItemKey): Promise<boolean> {
  const [observed] = await readObserved(store, [key]);
  // Its event is being recorded, or will be delivered again.
  if (observed === undefined) return false;
  const head: Head = await readHead(store, key.pk);
  const [followed] = await store.get([{ pk: key.pk, sk: FOLLOWED }]);
  const isAggregated = (head.consumed[key.sk] ?? '') >= observed.contentVersion;
  return isAggregated && (followed?.version ?? '') >= sortableNumber(head.revision);
}

async function areFollowed(
  store: ItemStore,
  source: EventSource,
  snapshotVersion: string,
): Promise<boolean> {
  const { pk, sk } = reportedKey(source, { pk: `B#${source.name}/`, sk: '' });
  for await (const items of pages(store, range(pk, sk.slice(0, -'|'.length)))) {
    // An entry from before the listing, whose item never came, does not belong to an existing object.
    const current = items.filter(({ version = '' }) => version >= snapshotVersion);
    for (const { sk: entry } of current)
      if (!(await isFollowed(store, parseReportedKey(entry)))) return false;
  }
  return true;
}

/**
 * Checks whether a WDS has reported everything and all of its Bindings are followed. If so, stores that. The check is made
 * after the end of a listing, and each time after the memberships of a Binding have come to follow it. So the last check finds
 * everything done.
 *
 * @returns whether it is stored, now or before
 */
export async function markWdsListed(store: ItemStore, wds: string): Promise<boolean> {
  const source: EventSource = { type: 'wds', name: wds };
  const key = listedKey(source);
  const [listed, snapshot] = await store.get([key, snapshotKey(source)]);
  if (listed !== undefined) return true;
  if (snapshot?.version === undefined) return false;
  if (!(await areFollowed(store, source, snapshot.version))) return false;
  await store.put([{ item: { ...key, version: snapshot.version }, condition: { type: 'absent' } }]);
  return true;
}
