import * as z from 'zod/mini';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { SORT, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { updateItem } from './compare-and-put.ts';

/** The number of objects of a WEC whose rows are stored, unless the deployment sets another one. */
export const OBJECTS_PER_WEC = 100_000;

const HOUR_MS = 3_600_000;

/**
 * The number of a source's entries: those of the last recount and those that were added since, without those that were removed
 * and whose slots were returned.
 */
interface Tally {
  /** Counts the writes of this item. */
  readonly revision: number;
  /** The number of slots that were ever taken. */
  readonly added: number;
  /** The number of entries that the last recount found. */
  readonly entries: number;
  /** The value of `added` when that recount began. */
  readonly at: number;
  /** The limit at which objects were rejected. It stays until there is room again. */
  readonly full?: number;
  /** The revision in which the last recount ended. Absent if none has ended. */
  readonly recounted?: number;
  /** The number of slots of deleted objects that were returned in an hour since 1970. */
  readonly freed?: { readonly hour: number; readonly count: number };
}

const TALLY = bodyCodec<Tally>(
  "count of a WEC's objects",
  looseObject({
    revision: z.number(),
    added: z.number(),
    entries: z.number(),
    at: z.number(),
    full: z.exactOptional(z.number()),
    recounted: z.exactOptional(z.number()),
    freed: z.exactOptional(looseObject({ hour: z.number(), count: z.number() })),
  }),
);

const NOTHING: Tally = { revision: 0, added: 0, entries: 0, at: 0 };

/** A recount in progress: the entries that it has found, and the number of slots that had been taken when it began. */
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

/** Replaces the tally by one that follows from it. If `change` returns none, the stored one stays. */
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

/** The number of objects that count for a source. */
export interface ObjectCount {
  /** At least the number of its entries, except entries that were being put when a recount began. */
  readonly objects: number;
  /** The limit at which other objects were rejected, as long as that may still be so. */
  readonly full?: number;
}

/** Reads the counts of some sources, in their order. */
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

/** The slots of a source at some time. */
export interface QuotaSlots {
  readonly source: EventSource;
  readonly count: number;
  /** The last recount at that time. A later recount may already have counted these slots as free. */
  readonly recounted: number;
}

/**
 * Takes slots for new objects of a source, in one write, before their entries are put. So if the process dies in between, the
 * count is too high until the next recount. If there is no room, that is stored once.
 *
 * @param limit the number of objects that the source may have
 * @returns the slots that were taken
 */
export async function takeSlots(
  store: ItemStore,
  { source, wanted, limit }: { source: EventSource; wanted: number; limit: number },
): Promise<QuotaSlots> {
  return updateTally(store, source, ({ full: storedLimit, ...tally }) => {
    const count = Math.max(Math.min(wanted, limit - countOf(tally)), 0);
    const { added, recounted: ended = 0 } = tally;
    const result = { source, count, recounted: ended };
    if (count === 0 && storedLimit === limit) return { result };
    const full = count < wanted ? { full: limit } : {};
    return { tally: { ...tally, added: added + count, ...full }, result };
  });
}

/**
 * Reads how many slots of deleted objects may be returned now. In an hour, at most as many slots may be returned as the
 * source may have objects. Each of these objects leaves a tombstone, so this limits the number of tombstones.
 *
 * @param nowMs milliseconds since 1970
 */
export async function slotsToFree(
  store: ItemStore,
  { source, limit, nowMs }: { source: EventSource; limit: number; nowMs: number },
): Promise<QuotaSlots> {
  const { freed, recounted: ended = 0 } = await readTally(store, source);
  const before = freed?.hour === Math.floor(nowMs / HOUR_MS) ? freed.count : 0;
  return { source, count: Math.max(limit - before, 0), recounted: ended };
}

/** The tally's number of slots that were returned in this hour. */
function freedAfter({ freed }: Tally, count: number, nowMs: number): Pick<Tally, 'freed'> {
  const hour = Math.floor(nowMs / HOUR_MS);
  return { freed: { hour, count: (freed?.hour === hour ? freed.count : 0) + count } };
}

/** The tally after slots were returned. If nothing is rejected any more, the limit is removed. */
function withRoom({ full, ...tally }: Tally, count: number): Tally {
  const next = { ...tally, entries: tally.entries - count };
  return full !== undefined && countOf(next) >= full ? { ...next, full } : next;
}

/**
 * Returns slots: those of entries that could not be put, or of entries that were removed. If a recount has ended since, it may
 * not have counted these entries. Then the count stays until the next recount.
 *
 * @param freedMs for removed entries: the time, in milliseconds since 1970
 */
export async function returnSlots(
  store: ItemStore,
  { source, count, recounted: before }: QuotaSlots,
  freedMs?: number,
): Promise<void> {
  if (count === 0) return;
  return updateTally(store, source, (tally) => {
    if ((tally.recounted ?? 0) !== before) return { result: undefined };
    const freed = freedMs === undefined ? {} : freedAfter(tally, count, freedMs);
    return { tally: { ...withRoom(tally, count), ...freed }, result: undefined };
  });
}

/** The tally after a recount. If there is room again, the limit is removed. */
function recounted({ full, ...tally }: Tally, recount: Recount): Tally {
  const revision = tally.revision + 1;
  const next = { ...tally, ...recount, revision, recounted: revision };
  return full !== undefined && countOf(next) >= full ? { ...next, full } : next;
}

/** Begins a recount of a source's entries, before the first of them is read. */
export async function beginRecount(store: ItemStore, source: EventSource): Promise<Recount> {
  const { added } = await readTally(store, source);
  return { entries: 0, at: added };
}

/**
 * Ends a recount that has read all entries of a source. Any number of recounts may be in progress, and each may be repeated:
 * each has found the entries that existed when it began, and all later ones are added. The recount that began last counts. If
 * the count is correct, nothing is written.
 */
export async function endRecount(
  store: ItemStore,
  source: EventSource,
  { entries, at }: Recount,
): Promise<void> {
  return updateTally(store, source, (tally) => {
    const next = recounted(tally, { entries, at });
    const isUpToDate = countOf(next) === countOf(tally) && next.full === tally.full;
    return { ...(at < tally.at || isUpToDate ? {} : { tally: next }), result: undefined };
  });
}
