import { lastEpochAt } from '#shared/core/epoch.ts';
import { namespacedName } from '#shared/core/fleet-object.ts';
import type { FleetSubject, Subject } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import { type DirtyMessage, encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import type { Item, ItemKey } from '#shared/ports/item-store.ts';

import { contactItem, contactKey } from '#shared/state/fleet/contacts.ts';
import { placeRows } from '#shared/state/fleet/placed-object.ts';
import { type parseReportedEntry, RANGE, SORT, versionText } from '#shared/state/keys.ts';
import { writeObserved } from '#shared/state/observed.ts';
import { decodeRow, tombstoneBody, tombstoneExpiry } from '#shared/state/rows.ts';
import type { AggregateDeps } from './deps.ts';
import { sweepUnnamed } from './drop-unnamed.ts';
import { messagesOfRows } from './notify-of-fleet-rows.ts';

/** A page of the entries that a source had reported before a complete listing began. */
export type Sweep = Extract<DirtyMessage, { type: 'sweep' }>;

type SeenEntry = NonNullable<ReturnType<typeof parseReportedEntry>>;

/**
 * Replaces an item that the source reported before its last complete listing began with a tombstone.
 *
 * @returns whether the item is gone; a newer one may have been stored meanwhile
 */
async function putTombstone(
  deps: AggregateDeps,
  sweep: Sweep,
  { item, subject }: { readonly item: Item; readonly subject: Subject },
): Promise<boolean> {
  const { pk, sk } = item;
  const version = versionText(sweep.since);
  const expiresAt = tombstoneExpiry(deps.clock());
  if (sk.startsWith(RANGE.row)) {
    const { wec } = decodeRow(item);
    const tombstone = { pk, sk, version, expiresAt, body: tombstoneBody(wec) };
    const [took] = await deps.store.put([{ item: tombstone, condition: { type: 'newer' } }]);
    return took === true || (await hasTombstone(deps, sweep, { pk, sk }));
  }
  const gone = { key: { pk, sk }, version, content: undefined, expiresAt };
  const { type } = await writeObserved(deps.store, gone);
  if (type === 'older') return false;
  if (subject.type === 'fleet' && subject.resource === 'clusters')
    await putContactTombstone(deps, sweep, subject);
  return true;
}

/**
 * Whether a row that was not replaced is a tombstone already. A row with exactly the version of the snapshot may also be a live
 * one.
 */
async function hasTombstone(deps: AggregateDeps, { since }: Sweep, key: ItemKey): Promise<boolean> {
  const [item] = await deps.store.get([key]);
  if (item === undefined) return true;
  return decodeRow(item).deleted === true && (item.version ?? '') <= versionText(since);
}

/** Whether there is an item under a key that the source has reported since the listing began. */
async function isNewer(deps: AggregateDeps, { since }: Sweep, key: ItemKey): Promise<boolean> {
  const [item] = await deps.store.get([key]);
  return (item?.version ?? '') > versionText(since);
}

async function putContactTombstone(
  deps: AggregateDeps,
  { since }: Sweep,
  subject: FleetSubject,
): Promise<void> {
  const version = versionText(since);
  const contact = contactKey(subject.upstream, namespacedName(subject.namespace, subject.name));
  const gone = contactItem(contact, { version, lastSeen: undefined, nowMs: deps.clock() });
  await deps.store.put([{ item: gone, condition: { type: 'newer' } }]);
}

/**
 * Removes an entry, unless it was written since the listing began: its item may not be stored yet. An entry of a tombstone that
 * is ahead of the clock stays too. It has to be found when the source is removed. Otherwise the tombstone would hide events of
 * a new source with that name.
 *
 * @returns whether the entry stays
 */
async function forget(
  deps: AggregateDeps,
  sweep: Sweep,
  { pk, sk, version }: Item,
): Promise<boolean> {
  if (version === undefined || version > versionText(sweep.since)) return true;
  if (sweep.since.epoch > lastEpochAt(deps.clock())) return true;
  const [isGone] = await deps.store.delete([{ key: { pk, sk }, version }]);
  return isGone !== true;
}

/** Like {@link sweepItem}, for an object of Fleet that has rows below other objects. Such entries are not counted. */
export async function sweepPlaced(
  deps: AggregateDeps,
  sweep: Sweep,
  { entry, key }: { readonly entry: Item; readonly key: ItemKey },
): Promise<void> {
  const [item] = await deps.store.get([key]);
  const version = versionText(sweep.since);
  if (item === undefined) {
    await forget(deps, sweep, entry);
    return;
  }
  if ((item.version ?? '') > version) return;
  const rowKeys = await placeRows(deps.store, { key, version, rows: [] }, deps.clock());
  const cause = `sweep ${key.pk} ${version}`;
  const messages = messagesOfRows(rowKeys, { cause, change: earliestChange([sweep]) });
  if (messages.length > 0) await deps.dirty.send(messages);
  else if (await isNewer(deps, sweep, key)) return;
  await forget(deps, sweep, entry);
}

/** Reads the item of an entry and, if the item is a row, the head of its object. */
async function readReported(
  deps: AggregateDeps,
  key: ItemKey,
): Promise<{ readonly item: Item | undefined; readonly head: Item | undefined }> {
  const isRow = key.sk.startsWith(RANGE.row);
  const [item, head] = await deps.store.get(isRow ? [key, { pk: key.pk, sk: SORT.head }] : [key]);
  return { item, head };
}

/** The WEC of a row in the form of a message. */
function wecsOf(item: Item): { readonly wecs?: readonly string[] } {
  return item.sk.startsWith(RANGE.row) ? { wecs: [decodeRow(item).wec] } : {};
}

/**
 * Removes the item of an entry if it is gone. Otherwise the item exists, and the writer is notified if the sweep asks for that.
 *
 * @returns whether the entry stays
 */
export async function sweepItem(
  deps: AggregateDeps,
  sweep: Sweep,
  { entry, isEcho, key, subject }: SeenEntry & { readonly entry: Item; readonly isEcho: boolean },
): Promise<boolean> {
  const { item, head } = await readReported(deps, key);
  const since = versionText(sweep.since);
  const change = earliestChange([sweep]);
  const cause = `sweep ${sweep.source.type}/${sweep.source.name} ${since}`;
  // If the item is not stored yet, it is older than the snapshot, and a tombstone will replace it when it is stored.
  if (item === undefined) return forget(deps, sweep, entry);
  if ((item.version ?? '') > since) {
    if (isEcho && key.sk !== SORT.policy)
      await deps.hints.send([encodeHint({ subject, objects: [], ...change }, cause)]);
    return sweepUnnamed(deps, { entry, item, subject, head }, change);
  }
  if (!(await putTombstone(deps, sweep, { item, subject }))) return true;
  // The object is also notified if there was a tombstone already: the process that put it may have crashed before the
  // notification.
  await deps.dirty.send([
    encodeDirty({ type: 'subject', subject, ...wecsOf(item), ...change }, `${cause} ${key.sk}`),
  ]);
  // No event will show the writer that the object is gone, and the desired result may not change.
  if (subject.type === 'fleet')
    await deps.hints.send([encodeHint({ subject, objects: [], ...change }, cause)]);
  return forget(deps, sweep, entry);
}
