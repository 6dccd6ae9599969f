import type { EventSource } from '#shared/core/event.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { decodeBody, encodeBody } from '#shared/state/body.ts';
import { SORT, sortableNumber, sourcePartition } from '#shared/state/keys.ts';
import { putOn } from '#shared/state/put-on.ts';

/** So many objects of a WEC are kept rows of, where the deployment says nothing else. */
export const OBJECTS_PER_WEC = 100_000;

/**
 * How many entries a source has: those of the last recount, and those that have been added since. What goes in between is
 * counted until the next one.
 */
interface Tally {
  /** Counts the writes of this item. */
  readonly revision: number;
  /** Places that were ever taken. */
  readonly added: number;
  /** Entries that the last recount has found. */
  readonly entries: number;
  /** `added` when that recount began. */
  readonly at: number;
  /** The limit beyond which objects were refused, until there is room again. */
  readonly full?: number;
}

const NOTHING: Tally = { revision: 0, added: 0, entries: 0, at: 0 };

/** A recount under way: the entries that it has found, and how many places had been taken when it began. */
export type Recount = Pick<Tally, 'entries' | 'at'>;

async function readTallies(
  store: ItemStore,
  sources: readonly EventSource[],
): Promise<readonly Tally[]> {
  const items = await store.get(
    sources.map((source) => ({ pk: sourcePartition(source), sk: SORT.objects })),
  );
  return items.map((item) => (item === undefined ? NOTHING : decodeBody<Tally>(item)));
}

async function readTally(store: ItemStore, source: EventSource): Promise<Tally> {
  const [tally = NOTHING] = await readTallies(store, [source]);
  return tally;
}

/** Puts the tally that follows the one that was read; false when another one stands there now. */
function putTally(store: ItemStore, source: EventSource, tally: Tally): Promise<boolean> {
  const { revision, added, entries, at, full } = tally;
  const kept = { revision, added, entries, at, ...(full === undefined ? {} : { full }) };
  const item: Item = {
    pk: sourcePartition(source),
    sk: SORT.objects,
    version: sortableNumber(revision),
    body: encodeBody(kept),
  };
  return putOn(store, item, revision === 1 ? '' : sortableNumber(revision - 1));
}

function countOf({ entries, added, at }: Tally): number {
  return entries + added - at;
}

/** How many objects a source is counted with. */
export interface ObjectCount {
  /** No fewer than it has entries, but for those that were on their way when a recount began. */
  readonly objects: number;
  /** The limit beyond which others were refused, as long as that may be so. */
  readonly full?: number;
}

/** The counts of some sources, in their order. */
export async function objectCounts(
  store: ItemStore,
  sources: readonly EventSource[],
): Promise<readonly ObjectCount[]> {
  const tallies = await readTallies(store, sources);
  return tallies.map((tally) => {
    const { full } = tally;
    return { objects: countOf(tally), ...(full === undefined ? {} : { full }) };
  });
}

/**
 * Takes places for new objects of a source, in one write, before their entries are put: so whoever dies in between has
 * counted too many, until the next recount. That there was no room is noted once.
 *
 * @param limit how many objects the source may have
 * @returns how many of the places it got
 */
export async function takePlaces(
  store: ItemStore,
  { source, wanted, limit }: { source: EventSource; wanted: number; limit: number },
): Promise<number> {
  for (;;) {
    const { full: known, ...tally } = await readTally(store, source);
    const given = Math.max(Math.min(wanted, limit - countOf(tally)), 0);
    const isFull = given < wanted;
    if (given === 0 && known === limit) return 0;
    const { revision, added } = tally;
    const full = isFull ? { full: limit } : {};
    const next = { ...tally, revision: revision + 1, added: added + given, ...full };
    if (await putTally(store, source, next)) return given;
  }
}

/** Gives places back that were taken for entries that could not be put. */
export async function returnPlaces(
  store: ItemStore,
  { source, count }: { source: EventSource; count: number },
): Promise<void> {
  for (;;) {
    const tally = await readTally(store, source);
    // A recount that is under way has found none of these entries, and knows that the places were taken.
    const next = { ...tally, revision: tally.revision + 1, entries: tally.entries - count };
    if (await putTally(store, source, next)) return;
  }
}

/** The tally after a recount: where there is room again, nothing is said of the limit. */
function recounted({ full, ...tally }: Tally, recount: Recount): Tally {
  const next = { ...tally, ...recount, revision: tally.revision + 1 };
  return full !== undefined && countOf(next) >= full ? { ...next, full } : next;
}

/** Begins a recount of a source's entries: before the first of them is read. */
export async function beginRecount(store: ItemStore, source: EventSource): Promise<Recount> {
  const { added } = await readTally(store, source);
  return { entries: 0, at: added };
}

/**
 * Ends a recount that has gone through all entries of a source. Any number may be under way, also twice: each has found the
 * entries that were there when it began, and all that came later has been added. The one that began last stays. Nothing is
 * written where the count is right.
 */
export async function endRecount(
  store: ItemStore,
  source: EventSource,
  { entries, at }: Recount,
): Promise<void> {
  for (;;) {
    const tally = await readTally(store, source);
    if (at < tally.at) return;
    const next = recounted(tally, { entries, at });
    if (countOf(next) === countOf(tally) && next.full === tally.full) return;
    if (await putTally(store, source, next)) return;
  }
}
