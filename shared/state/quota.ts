import * as z from 'zod/mini';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { SORT, sortableNumber } from '#shared/state/keys.ts';
import { updateItem } from './compare-and-put.ts';

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

/** Puts the tally that follows from the stored one; absent: that one stays. */
function updateTally<Result>(
  store: ItemStore,
  source: EventSource,
  change: (tally: Tally) => { readonly tally?: Omit<Tally, 'revision'>; readonly result: Result },
): Promise<Result> {
  const key = { pk: sourcePartition(source), sk: SORT.objects };
  return updateItem(store, key, (item) => {
    const before = item === undefined ? NOTHING : TALLY.decode(item);
    const { tally, result } = change(before);
    if (tally === undefined) return { result };
    const revision = before.revision + 1;
    const body = TALLY.encode({ ...tally, revision });
    return { item: { ...key, version: sortableNumber(revision), body }, result };
  });
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
  return updateTally(store, source, ({ full: known, ...tally }) => {
    const count = Math.max(Math.min(wanted, limit - countOf(tally)), 0);
    const { added, recounted: ended = 0 } = tally;
    const result = { source, count, recounted: ended };
    if (count === 0 && known === limit) return { result };
    const full = count < wanted ? { full: limit } : {};
    return { tally: { ...tally, added: added + count, ...full }, result };
  });
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
  const next = { ...tally, entries: tally.entries - count };
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
  return updateTally(store, source, (tally) => {
    if ((tally.recounted ?? 0) !== before) return { result: undefined };
    const freed = freedMs === undefined ? {} : freedAfter(tally, count, freedMs);
    return { tally: { ...withRoom(tally, count), ...freed }, result: undefined };
  });
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
  return updateTally(store, source, (tally) => {
    const next = recounted(tally, { entries, at });
    const isRight = countOf(next) === countOf(tally) && next.full === tally.full;
    return { ...(at < tally.at || isRight ? {} : { tally: next }), result: undefined };
  });
}
