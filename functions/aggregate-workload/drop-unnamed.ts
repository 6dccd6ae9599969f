import type { Subject } from '#shared/core/subject.ts';
import { type ChangeTime, encodeDirty } from '#shared/messages/dirty.ts';
import type { Item } from '#shared/ports/item-store.ts';
import { compareAndPut } from '#shared/state/compare-and-put.ts';
import { decodeHead } from '#shared/state/head.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { readOldestMemberships } from '#shared/state/membership.ts';
import { decodeRow, rowBody, type StoredRow, tombstoneExpiry } from '#shared/state/rows.ts';
import { isLongUnnamed } from '#shared/state/unnamed.ts';
import type { AggregateDeps } from './deps.ts';

/** Something that a source has said since its listing began. */
interface Standing {
  readonly entry: Item;
  readonly item: Item;
  readonly subject: Subject;
  /** Of the object of a row. */
  readonly head: Item | undefined;
}

/** Whether an object has this head and no Binding has named it for long. */
function isForgotten(deps: AggregateDeps, head: Item | undefined): boolean {
  return isLongUnnamed(decodeHead(head), deps.clock());
}

/** Whether a Binding names an object. */
async function isNamed(deps: AggregateDeps, pk: string): Promise<boolean> {
  const { counted } = await readOldestMemberships(deps.store, pk, 1);
  return counted.length > 0;
}

/** Whether still no Binding names an object. A Binding puts its membership first, then the head follows. */
async function isStillUnnamed(deps: AggregateDeps, pk: string): Promise<boolean> {
  const [head] = await deps.store.get([{ pk, sk: SORT.head }]);
  return isForgotten(deps, head) && !(await isNamed(deps, pk));
}

/** A row that is on its way out, or back. */
interface Passing {
  readonly standing: Standing;
  /** As it was. */
  readonly live: StoredRow;
  /** Of the object. */
  readonly uid: string;
  readonly change: ChangeTime;
}

/** Puts another form of the row in the place of the one before; false where something newer stands there. */
function putForm(deps: AggregateDeps, { standing }: Passing, form: StoredRow): Promise<boolean> {
  const { pk, sk, version = '' } = standing.item;
  const expiry = form.unnamed === undefined ? {} : { expiresAt: tombstoneExpiry(deps.clock()) };
  return compareAndPut(deps.store, { pk, sk, version, body: rowBody(form), ...expiry }, version);
}

async function tell(
  deps: AggregateDeps,
  { standing: { item, subject }, live, change }: Passing,
  cause: string,
): Promise<void> {
  const message = { type: 'subject', subject, wecs: [live.wec], ...change } as const;
  await deps.dirty.send([encodeDirty(message, `${cause} ${item.sk} ${item.version}`)]);
}

/** Says that the row is back: an aggregation may have found it hidden. */
async function tellOfReturn(deps: AggregateDeps, passing: Passing): Promise<void> {
  await tell(deps, passing, 'named');
  await putForm(deps, passing, passing.live);
}

/** Says that the row is gone. @returns whether the entry stays */
async function tellAndForget(deps: AggregateDeps, passing: Passing): Promise<boolean> {
  await tell(deps, passing, 'unnamed');
  const { pk, sk, version = '' } = passing.standing.entry;
  const [isGone] = await deps.store.delete([{ key: { pk, sk }, version }]);
  return isGone !== true;
}

/** Decides on a row that is hidden. @returns whether the entry stays */
async function decide(deps: AggregateDeps, passing: Passing): Promise<boolean> {
  const { live, uid } = passing;
  if (await isStillUnnamed(deps, passing.standing.item.pk)) {
    const isGone = await putForm(deps, passing, { wec: live.wec, deleted: true, unnamed: uid });
    return isGone ? tellAndForget(deps, passing) : true;
  }
  if (await putForm(deps, passing, { ...live, unnamed: uid })) await tellOfReturn(deps, passing);
  return true;
}

/**
 * The row of an object that no Binding has named for long goes, though the object stands. It is hidden first, then the
 * Bindings are read once more. One that names the object by now has put its membership before: the row comes back, and that
 * is told. One that names it later finds no row, as if it came the day after. What remains is a tombstone that keeps the
 * version, so what comes late finds it, and says which object it was.
 *
 * The form of the row says how far this has come, so a later sweep goes on where one has died:
 *
 * | the row | `deleted` | `unnamed` | `row` |
 * |---|---|---|---|
 * | stands | | | yes |
 * | is hidden | yes | yes | yes |
 * | is back, which has not been told | | yes | yes |
 * | is gone | yes | yes | |
 *
 * @returns whether the entry stays
 */
export async function sweepUnnamed(
  deps: AggregateDeps,
  standing: Standing,
  change: ChangeTime,
): Promise<boolean> {
  const { item, head } = standing;
  if (!item.sk.startsWith(RANGE.row)) return true;
  if (item.expiresAt === undefined && !isForgotten(deps, head)) return true;
  const { deleted, unnamed, ...live } = decodeRow(item);
  const uid = unnamed ?? live.row?.uid;
  // It is gone as others are.
  if (uid === undefined) return true;
  const passing = { standing, live, uid, change };
  if (live.row === undefined) return tellAndForget(deps, passing);
  if (deleted === true) return decide(deps, passing);
  if (unnamed !== undefined) {
    await tellOfReturn(deps, passing);
    return true;
  }
  if (!(await isStillUnnamed(deps, item.pk))) return true;
  const hidden = { ...live, deleted: true, unnamed: uid } as const;
  return (await putForm(deps, passing, hidden)) ? decide(deps, passing) : true;
}
