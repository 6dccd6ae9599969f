import type { Subject } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { Item } from '#shared/ports/item-store.ts';
import { compareAndPut } from '#shared/state/compare-and-put.ts';
import { decodeHead } from '#shared/state/head.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { readOldestMemberships } from '#shared/state/membership.ts';
import { decodeRow, rowBody, type StoredRow, tombstoneExpiry } from '#shared/state/rows.ts';
import { isLongUnnamed } from '#shared/state/unnamed.ts';
import type { AggregateDeps } from './deps.ts';

/** An item that a source has reported since its listing began. */
interface ReportedItem {
  readonly entry: Item;
  readonly item: Item;
  readonly subject: Subject;
  /** If the item is a row, the head of its object. */
  readonly head: Item | undefined;
}

/** Whether this head shows that no Binding has named the object for a long time. */
function isForgotten(deps: AggregateDeps, head: Item | undefined): boolean {
  return isLongUnnamed(decodeHead(head), deps.clock());
}

/** Whether a Binding names an object. */
async function isNamed(deps: AggregateDeps, pk: string): Promise<boolean> {
  const { counted } = await readOldestMemberships(deps.store, pk, 1);
  return counted.length > 0;
}

/** Whether there is still no Binding that names the object. A Binding puts its membership first. The head follows. */
async function isStillUnnamed(deps: AggregateDeps, pk: string): Promise<boolean> {
  const [head] = await deps.store.get([{ pk, sk: SORT.head }]);
  return isForgotten(deps, head) && !(await isNamed(deps, pk));
}

/** A row that is being removed or restored. */
interface Passing {
  readonly reported: ReportedItem;
  /** The row before it was hidden. */
  readonly live: StoredRow;
  /** UID of the object. */
  readonly uid: string;
  readonly change: ChangeTime;
}

/** Replaces the row with another form of it. Returns false if there is a newer row. */
function putForm(deps: AggregateDeps, { reported }: Passing, form: StoredRow): Promise<boolean> {
  const { pk, sk, version = '' } = reported.item;
  const expiry = form.unnamed === undefined ? {} : { expiresAt: tombstoneExpiry(deps.clock()) };
  return compareAndPut(deps.store, { pk, sk, version, body: rowBody(form), ...expiry }, version);
}

async function notify(
  deps: AggregateDeps,
  { reported: { item, subject }, live, change }: Passing,
  cause: string,
): Promise<void> {
  const message = { type: 'subject', subject, wecs: [live.wec], ...change } as const;
  await deps.dirty.send([encodeDirty(message, `${cause} ${item.sk} ${item.version}`)]);
}

/** Notifies the object that the row is back, because an aggregation may have run while the row was hidden. */
async function notifyOfReturn(deps: AggregateDeps, passing: Passing): Promise<void> {
  await notify(deps, passing, 'named');
  await putForm(deps, passing, passing.live);
}

/**
 * Notifies the object that the row is gone, and removes the entry.
 *
 * @returns whether the entry stays
 */
async function notifyAndForget(deps: AggregateDeps, passing: Passing): Promise<boolean> {
  await notify(deps, passing, 'unnamed');
  const { pk, sk, version = '' } = passing.reported.entry;
  const [isGone] = await deps.store.delete([{ key: { pk, sk }, version }]);
  return isGone !== true;
}

/**
 * Removes or restores a hidden row.
 *
 * @returns whether the entry stays
 */
async function decide(deps: AggregateDeps, passing: Passing): Promise<boolean> {
  const { live, uid } = passing;
  if (await isStillUnnamed(deps, passing.reported.item.pk)) {
    const isGone = await putForm(deps, passing, { wec: live.wec, deleted: true, unnamed: uid });
    return isGone ? notifyAndForget(deps, passing) : true;
  }
  if (await putForm(deps, passing, { ...live, unnamed: uid })) await notifyOfReturn(deps, passing);
  return true;
}

/**
 * Removes the row of an object that no Binding has named for a long time, although the object exists. The row is hidden first.
 * Then the Bindings are read once more. If a Binding names the object by now, it has put its membership before: the row is
 * restored, and the object is notified. If a Binding names the object later, it finds no row, as if it came a day later. A
 * tombstone remains. It keeps the version, so late events find it, and it records the UID of the object.
 *
 * The form of the row records the progress, so a later sweep continues after a crash:
 *
 * | the row | `deleted` | `unnamed` | `row` |
 * |---|---|---|---|
 * | exists | | | yes |
 * | is hidden | yes | yes | yes |
 * | is restored, the object is not notified yet | | yes | yes |
 * | is gone | yes | yes | |
 *
 * @returns whether the entry stays
 */
export async function sweepUnnamed(
  deps: AggregateDeps,
  reported: ReportedItem,
  change: ChangeTime,
): Promise<boolean> {
  const { item, head } = reported;
  if (!item.sk.startsWith(RANGE.row)) return true;
  if (item.expiresAt === undefined && !isForgotten(deps, head)) return true;
  const { deleted, unnamed, ...live } = decodeRow(item);
  const uid = unnamed ?? live.row?.uid;
  // The row was deleted in the usual way.
  if (uid === undefined) return true;
  const passing = { reported, live, uid, change };
  if (live.row === undefined) return notifyAndForget(deps, passing);
  if (deleted === true) return decide(deps, passing);
  if (unnamed !== undefined) {
    await notifyOfReturn(deps, passing);
    return true;
  }
  if (!(await isStillUnnamed(deps, item.pk))) return true;
  const hidden = { ...live, deleted: true, unnamed: uid } as const;
  return (await putForm(deps, passing, hidden)) ? decide(deps, passing) : true;
}
