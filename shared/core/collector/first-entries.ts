/** How sorted lists of entries are merged and bounded. */
export interface EntryOrder<Entry> {
  /** The maximum number of entries to keep: a positive integer. */
  readonly limit: number;
  /** Negative, 0 or positive, as for sorting. 0 only for two entries that `combine` merges into one. */
  compare(a: Entry, b: Entry): number;
  combine(a: Entry, b: Entry): Entry;
}

/**
 * The first `limit` entries of two sorted lists together. Equal entries are combined. The first L entries of a merge
 * depend only on the first L entries of each side, so a limit at every merge gives the same result as one limit at the
 * end (docs/architecture.md, section 3). If one side adds nothing, the other side is returned unchanged.
 */
export function mergeFirst<Entry>(
  a: readonly Entry[],
  b: readonly Entry[],
  order: EntryOrder<Entry>,
): readonly Entry[] {
  if (b.length === 0 || fillsBefore(a, b, order)) return a;
  if (a.length === 0 || fillsBefore(b, a, order)) return b;
  return interleave(a, b, order);
}

/** How sorted lists of entries are merged if their bytes are bounded too. */
export interface SizedOrder<Entry, Key> extends EntryOrder<Entry> {
  /** The maximum number of bytes that the kept entries take together. */
  readonly maxBytes: number;
  keyOf(entry: Entry): Key;
  /** Like `compare`, for keys. */
  compareKeys(a: Key, b: Key): number;
  /** The bytes of an entry. Combining the entry with another must not change them. */
  bytesOf(entry: Entry): number;
}

/**
 * The first entries of a table that together take no more than a number of bytes. `cut` is the key of the first entry
 * that did not fit. It is absent if all of the first `limit` entries fitted.
 */
export type SizedEntries<Entry, Key> = {
  readonly entries: readonly Entry[];
  readonly cut?: Key;
};

/** A table with one entry. The entry may be too large by itself. */
export function sizedEntry<Entry, Key>(
  entry: Entry,
  order: SizedOrder<Entry, Key>,
): SizedEntries<Entry, Key> {
  return order.bytesOf(entry) <= order.maxBytes
    ? { entries: [entry] }
    : { entries: [], cut: order.keyOf(entry) };
}

/**
 * The first entries of two tables together, bounded by number and by bytes. An entry after a cut cannot be among the
 * first entries that fit in any table, because more entries before it only take more bytes. More entries before the cut
 * may also put the cut beyond the limit, so the entries before the cut are kept. Therefore, a bound at every merge
 * gives the same result as one bound at the end.
 */
export function mergeSized<Entry, Key>(
  a: SizedEntries<Entry, Key>,
  b: SizedEntries<Entry, Key>,
  order: SizedOrder<Entry, Key>,
): SizedEntries<Entry, Key> {
  const merged = mergeFirst(a.entries, b.entries, order);
  const cut = firstKey(a.cut, b.cut, order);
  let bytes = 0;
  for (const [index, entry] of merged.entries()) {
    const key = order.keyOf(entry);
    if (cut !== undefined && order.compareKeys(cut, key) <= 0)
      return { entries: merged.slice(0, index), cut };
    bytes += order.bytesOf(entry);
    if (bytes > order.maxBytes) return { entries: merged.slice(0, index), cut: key };
  }
  return cut === undefined || merged.length >= order.limit
    ? { entries: merged }
    : { entries: merged, cut };
}

function firstKey<Key>(
  a: Key | undefined,
  b: Key | undefined,
  order: Pick<SizedOrder<never, Key>, 'compareKeys'>,
): Key | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return order.compareKeys(a, b) <= 0 ? a : b;
}

function interleave<Entry>(
  a: readonly Entry[],
  b: readonly Entry[],
  order: EntryOrder<Entry>,
): readonly Entry[] {
  const merged: Entry[] = [];
  let i = 0;
  let j = 0;
  let x = a[0];
  let y = b[0];
  while (x !== undefined && y !== undefined && merged.length < order.limit) {
    const compared = order.compare(x, y);
    if (compared === 0) merged.push(order.combine(x, y));
    else merged.push(compared < 0 ? x : y);
    if (compared <= 0) x = a[++i];
    if (compared >= 0) y = b[++j];
  }
  append(merged, a, { from: i, limit: order.limit });
  append(merged, b, { from: j, limit: order.limit });
  return merged;
}

/** Appends the rest of a list in place. Many short lists are merged, and slices would cost more than their entries. */
function append<Entry>(
  merged: Entry[],
  list: readonly Entry[],
  { from, limit }: { readonly from: number; readonly limit: number },
): void {
  let index = from;
  let entry = list[index];
  while (entry !== undefined && merged.length < limit) {
    merged.push(entry);
    index += 1;
    entry = list[index];
  }
}

/** Whether `a` is full and ends before `b` begins. */
function fillsBefore<Entry>(
  a: readonly Entry[],
  b: readonly Entry[],
  order: EntryOrder<Entry>,
): boolean {
  if (a.length < order.limit) return false;
  const last = a.at(-1);
  const first = b[0];
  return last !== undefined && first !== undefined && order.compare(last, first) < 0;
}

/** Compares texts by their UTF-16 code units, as `stringifyJson` orders keys. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The order of entries that are each about one WEC: by the name of the WEC. If a WEC occurs twice, which no table has,
 * one entry is kept.
 */
export function byWec<Entry extends readonly [wec: string, ...about: readonly unknown[]]>(
  limit: number,
): EntryOrder<Entry> {
  return { limit, compare: ([a], [b]) => compareText(a, b), combine: (a) => a };
}
