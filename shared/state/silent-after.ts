import { parseSubject, type Subject } from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import { range, sortableNumber } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import {
  parseSilentAfterTime,
  SILENT_AFTER_PARTITION as pk,
  silentAfterPrefix,
  silentAfterTime,
} from '#shared/state/silent-after-keys.ts';

/** A subject, by its partition, and the time after which a silent WEC counts as one that has reported nothing. */
export interface TimedSubject {
  readonly partition: string;
  readonly silentAfterMs: number;
}

function subjectKey({ partition, silentAfterMs }: TimedSubject): ItemKey {
  return { pk, sk: `${silentAfterPrefix(silentAfterMs, 'S')}${partition}` };
}

/**
 * Stores that a subject has a time. It is stored before the silent WECs are read. So a WEC that becomes silent later notifies
 * the subject.
 *
 * @param revision the revision of the head that the aggregation will put
 */
export async function putTimedSubject(
  store: ItemStore,
  subject: TimedSubject,
  revision: number,
): Promise<void> {
  const item = { ...subjectKey(subject), version: sortableNumber(revision) };
  await store.put([{ item, condition: { type: 'newer' } }]);
}

/**
 * Removes the entry that a subject has a time, after a head without this time was put. If a later aggregation has put the entry
 * again, it stays.
 *
 * @param revision the revision of the head that was put
 */
export async function removeTimedSubject(
  store: ItemStore,
  subject: TimedSubject,
  revision: number,
): Promise<void> {
  const key = subjectKey(subject);
  const [item] = await store.get([key]);
  const version = item?.version;
  if (version === undefined || version > sortableNumber(revision)) return;
  await store.delete([{ key, version }]);
}

/** Reads the subjects that have a time. Strongly consistent. */
export async function readTimedSubjects(
  store: ItemStore,
  silentAfterMs: number,
): Promise<ReadonlyMap<string, Subject>> {
  const prefix = silentAfterPrefix(silentAfterMs, 'S');
  const subjects = new Map<string, Subject>();
  for await (const items of pages(store, range(pk, prefix)))
    for (const { sk } of items) {
      const partition = sk.slice(prefix.length);
      subjects.set(partition, parseSubject(partition));
    }
  return subjects;
}

/** Reads the first item at or after a sort key. */
async function firstFrom(store: ItemStore, from: string): Promise<Item | undefined> {
  for await (const [first] of pages(store, { pk, from, limit: 1 }))
    if (first !== undefined) return first;
  return undefined;
}

/**
 * Reads each time for which something is stored, in milliseconds, with one query for each and one more. If no subject has a
 * time any more, the time is included as long as a WEC has an entry for it, so entries are never out of date.
 */
export async function readSilentAfterTimes(store: ItemStore): Promise<readonly number[]> {
  const times: number[] = [];
  let from = silentAfterTime(0);
  for (;;) {
    const item = await firstFrom(store, from);
    if (item === undefined) return times;
    const time = parseSilentAfterTime(item.sk);
    times.push(time);
    from = silentAfterTime(time + 1000);
  }
}

/** Reads the subjects that have any time, by partition. Strongly consistent. */
export async function readAllTimedSubjects(
  store: ItemStore,
): Promise<ReadonlyMap<string, Subject>> {
  const subjects = new Map<string, Subject>();
  for (const time of await readSilentAfterTimes(store))
    for (const [partition, subject] of await readTimedSubjects(store, time))
      subjects.set(partition, subject);
  return subjects;
}

/** A row of a silent WEC that counts for a while, because it was recorded after the WEC's last heartbeat. */
export interface RecentRow extends TimedSubject {
  readonly wec: string;
  /** The time until which it counts, in milliseconds since the epoch. */
  readonly untilMs: number;
}

function recentItem(row: RecentRow, revision: number): Item {
  const { partition, silentAfterMs, wec, untilMs } = row;
  return {
    pk,
    sk: `${silentAfterPrefix(silentAfterMs, 'R')}${wec}|${partition}`,
    version: `${sortableNumber(untilMs)}.${sortableNumber(revision)}`,
  };
}

/**
 * Stores rows that count for a while, so that a sweep notifies their subjects when that time has passed. They are stored before
 * the rows are folded.
 *
 * @param revision the revision of the head that the aggregation will put. A note that is put again has another version, so the
 * sweep that has sent the message for the previous note does not remove it.
 */
export async function putRecentRows(
  store: ItemStore,
  rows: readonly RecentRow[],
  revision: number,
): Promise<void> {
  if (rows.length === 0) return;
  await store.put(
    rows.map((row): Put => ({ item: recentItem(row, revision), condition: { type: 'newer' } })),
  );
}

/** A note whose time has passed, and the item to remove after its subject was notified. */
export interface OverRow extends Pick<RecentRow, 'partition' | 'wec'> {
  readonly item: Item;
}

/** Reads the rows that no longer count. */
export async function readOverRows(
  store: ItemStore,
  { silentAfterMs, nowMs }: { readonly silentAfterMs: number; readonly nowMs: number },
): Promise<readonly OverRow[]> {
  const prefix = silentAfterPrefix(silentAfterMs, 'R');
  const over: OverRow[] = [];
  for await (const items of pages(store, range(pk, prefix)))
    for (const item of items) {
      const name = item.sk.slice(prefix.length);
      const bar = name.indexOf('|');
      if ((item.version ?? '') < sortableNumber(nowMs))
        over.push({ wec: name.slice(0, bar), partition: name.slice(bar + 1), item });
    }
  return over;
}

/** Removes notes, unless another note has replaced them. */
export async function removeOverRows(store: ItemStore, rows: readonly OverRow[]): Promise<void> {
  await store.delete(rows.map(({ item: { sk, version = '' } }) => ({ key: { pk, sk }, version })));
}
