import * as z from 'zod/mini';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { SORT, sortableNumber } from '#shared/state/keys.ts';
import { putOn } from '#shared/state/put-on.ts';

/** So many objects of a WEC are kept rows of, where the deployment says nothing else. */
export const OBJECTS_PER_WEC = 100_000;

const HOUR_MS = 3_600_000;

/**
 * How many entries a source has: those of the last recount, and those that have been added since, without those that have
 * gone and whose places came back.
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
  /** The revision with which the last recount ended; absent: none has. */
  readonly recounted?: number;
  /** How many places of objects that have gone came back in an hour since 1970. */
  readonly freed?: { readonly hour: number; readonly count: number };
}

const TALLY = bodyCodec<Tally>(
  "count of a WEC's objects",
  z.looseObject({
    revision: z.number(),
    added: z.number(),
    entries: z.number(),
    at: z.number(),
    full: z.exactOptional(z.number()),
    recounted: z.exactOptional(z.number()),
    freed: z.exactOptional(z.looseObject({ hour: z.number(), count: z.number() })),
  }),
);

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
  return items.map((item) => (item === undefined ? NOTHING : TALLY.decode(item)));
}

async function readTally(store: ItemStore, source: EventSource): Promise<Tally> {
  const [tally = NOTHING] = await readTallies(store, [source]);
  return tally;
}

/** Puts the tally that follows the one that was read; false when another one stands there now. */
function putTally(store: ItemStore, source: EventSource, tally: Tally): Promise<boolean> {
  const { revision, added, entries, at, full, recounted: ended, freed } = tally;
  const kept = {
    ...{ revision, added, entries, at },
    ...(full === undefined ? {} : { full }),
    ...(ended === undefined ? {} : { recounted: ended }),
    ...(freed === undefined ? {} : { freed: { ...freed } }),
  };
  const item: Item = {
    pk: sourcePartition(source),
    sk: SORT.objects,
    version: sortableNumber(revision),
    body: TALLY.encode(kept),
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

/** Places of a source, as they were at a moment. */
export interface Places {
  readonly source: EventSource;
  readonly count: number;
  /** The last recount at that moment. A later one may have counted already that these places are free. */
  readonly recounted: number;
}

/**
 * Takes places for new objects of a source, in one write, before their entries are put: so whoever dies in between has
 * counted too many, until the next recount. That there was no room is noted once.
 *
 * @param limit how many objects the source may have
 * @returns the places that it got
 */
export async function takePlaces(
  store: ItemStore,
  { source, wanted, limit }: { source: EventSource; wanted: number; limit: number },
): Promise<Places> {
  for (;;) {
    const { full: known, ...tally } = await readTally(store, source);
    const count = Math.max(Math.min(wanted, limit - countOf(tally)), 0);
    const isFull = count < wanted;
    const { revision, added, recounted: ended = 0 } = tally;
    const places = { source, count, recounted: ended };
    if (count === 0 && known === limit) return places;
    const full = isFull ? { full: limit } : {};
    const next = { ...tally, revision: revision + 1, added: added + count, ...full };
    if (await putTally(store, source, next)) return places;
  }
}

/**
 * How many places of objects that have gone may come back now: as many in an hour as the source may have objects. Of each a
 * tombstone is kept, so that limits how many of them there are.
 *
 * @param nowMs milliseconds since 1970
 */
export async function placesToFree(
  store: ItemStore,
  { source, limit, nowMs }: { source: EventSource; limit: number; nowMs: number },
): Promise<Places> {
  const { freed, recounted: ended = 0 } = await readTally(store, source);
  const before = freed?.hour === Math.floor(nowMs / HOUR_MS) ? freed.count : 0;
  return { source, count: Math.max(limit - before, 0), recounted: ended };
}

/** What the tally says of the places that came back in this hour. */
function freedAfter({ freed }: Tally, count: number, nowMs: number): Pick<Tally, 'freed'> {
  const hour = Math.floor(nowMs / HOUR_MS);
  return { freed: { hour, count: (freed?.hour === hour ? freed.count : 0) + count } };
}

/** The tally with places that are free again; where nothing is refused any more, nothing is said of the limit. */
function withRoom({ full, ...tally }: Tally, count: number): Tally {
  const next = { ...tally, revision: tally.revision + 1, entries: tally.entries - count };
  return full !== undefined && countOf(next) >= full ? { ...next, full } : next;
}

/**
 * Gives places back: that were taken for entries that could not be put, or whose entries have gone. Where a recount has ended
 * since, it may have found none of these entries: then they stay as it has counted them, until the next one.
 *
 * @param freedMs of entries that have gone: when, in milliseconds since 1970
 */
export async function returnPlaces(
  store: ItemStore,
  { source, count, recounted: before }: Places,
  freedMs?: number,
): Promise<void> {
  if (count === 0) return;
  for (;;) {
    const tally = await readTally(store, source);
    if ((tally.recounted ?? 0) !== before) return;
    const freed = freedMs === undefined ? {} : freedAfter(tally, count, freedMs);
    if (await putTally(store, source, { ...withRoom(tally, count), ...freed })) return;
  }
}

/** The tally after a recount: where there is room again, nothing is said of the limit. */
function recounted({ full, ...tally }: Tally, recount: Recount): Tally {
  const revision = tally.revision + 1;
  const next = { ...tally, ...recount, revision, recounted: revision };
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
