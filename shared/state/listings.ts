import type { EventSource } from '#shared/core/event.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { type Head, readHead } from '#shared/state/head.ts';
import { parseReportedKey, range, reportedKey, SORT, sortableNumber } from '#shared/state/keys.ts';
import { readObserved } from '#shared/state/observed.ts';
import { pages } from '#shared/state/pages.ts';

/** In which revision the memberships of a Binding last came to follow it, all of them. */
const FOLLOWED = 'FOLLOWED';

/**
 * What says that all that a source has in it has been told since the state began: of a WEC the end of a listing; of a WDS
 * that its Bindings have been followed too, as what counts for an object is known by its memberships.
 */
function listedKey(source: EventSource): ItemKey {
  return { pk: sourcePartition(source), sk: source.type === 'wds' ? 'LISTED' : SORT.snapshot };
}

/** Which sources are known to have told everything, as a process remembers it: a listing does not become undone. */
export interface Listings {
  /** Those that have not, in the order given. */
  missing(sources: readonly EventSource[]): Promise<readonly EventSource[]>;
}

/** Listings of a store, of which nothing is known yet. */
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

/** Notes that every membership of a Binding follows a revision of it. */
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

/** Whether the memberships follow what was last said of a Binding. */
async function isFollowed(store: ItemStore, key: ItemKey): Promise<boolean> {
  const [observed] = await readObserved(store, [key]);
  // Its event is being recorded, or will be delivered again.
  if (observed === undefined) return false;
  const head: Head = await readHead(store, key.pk);
  const [followed] = await store.get([{ pk: key.pk, sk: FOLLOWED }]);
  const isAggregated = (head.consumed[key.sk] ?? '') >= observed.contentVersion;
  return isAggregated && (followed?.version ?? '') >= sortableNumber(head.revision);
}

async function areFollowed(store: ItemStore, source: EventSource, floor: string): Promise<boolean> {
  const { pk, sk } = reportedKey(source, { pk: `B#${source.name}/`, sk: '' });
  for await (const items of pages(store, range(pk, sk.slice(0, -'|'.length)))) {
    // An entry from before the listing, of an item that never came, is none of something that stands.
    const standing = items.filter(({ version = '' }) => version >= floor);
    for (const key of standing.map(({ sk: entry }) => parseReportedKey(entry)))
      if (key.sk === SORT.spec && !(await isFollowed(store, key))) return false;
  }
  return true;
}

/**
 * Notes that all of a WDS has been told, and that all of its Bindings are followed, if that is so. It is looked after a
 * listing has ended, and each time when the memberships of a Binding have come to follow it: whoever comes last finds all
 * others done.
 *
 * @returns whether it is noted, now or before
 */
export async function markWdsListed(store: ItemStore, wds: string): Promise<boolean> {
  const source: EventSource = { type: 'wds', name: wds };
  const key = listedKey(source);
  const [listed, snapshot] = await store.get([
    key,
    { pk: sourcePartition(source), sk: SORT.snapshot },
  ]);
  if (listed !== undefined) return true;
  if (snapshot?.version === undefined) return false;
  if (!(await areFollowed(store, source, snapshot.version))) return false;
  await store.put([{ item: { ...key, version: snapshot.version }, condition: { type: 'absent' } }]);
  return true;
}
