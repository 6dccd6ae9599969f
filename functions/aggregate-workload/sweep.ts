import { namespacedName } from '#shared/core/fleet/fleet-object.ts';
import {
  type DirtyMessage,
  earliestChange,
  encodeDirty,
  encodeHint,
} from '#shared/messages/dirty.ts';
import type { Item, ItemKey } from '#shared/ports/item-store.ts';
import { decodeBody, encodeBody } from '#shared/state/body.ts';
import { contactItem, contactKey } from '#shared/state/fleet/contacts.ts';
import { markListed } from '#shared/state/fleet/listed.ts';
import { isPlacedKey, placeRows } from '#shared/state/fleet/placed-object.ts';
import type { Head } from '#shared/state/head.ts';
import {
  type FleetSubject,
  parseSeenEntry,
  parseSeenKey,
  RANGE,
  range,
  SORT,
  type Subject,
  sourcePartition,
  versionText,
} from '#shared/state/keys.ts';
import { writeObserved } from '#shared/state/observed.ts';
import { beginRecount, endRecount, type Recount } from '#shared/state/quota.ts';
import { decodeRow, tombstoneExpiry } from '#shared/state/rows.ts';
import { isLongUnnamed } from '#shared/state/unnamed.ts';
import { lookAtWds, tellWaiting } from './awaited.ts';
import type { AggregateDeps } from './deps.ts';
import { messagesOfRows } from './fleet/tell-of-rows.ts';

type Sweep = Extract<DirtyMessage, { type: 'sweep' }>;

type SeenEntry = NonNullable<ReturnType<typeof parseSeenEntry>>;

/** Something that the source has said since the listing began, and its entry. */
interface Standing {
  readonly entry: Item;
  readonly item: Item;
  readonly subject: Subject;
}

const PAGE_SIZE = 100;
const MAX_NAMED = 20;

/**
 * An item that was seen by the source before its last complete listing began is gone: a tombstone takes its place.
 *
 * @returns whether it is gone; something newer may have come meanwhile
 */
async function bury(
  deps: AggregateDeps,
  sweep: Sweep,
  { item, subject }: { readonly item: Item; readonly subject: Subject },
): Promise<boolean> {
  const { pk, sk } = item;
  const version = versionText(sweep.since);
  const expiresAt = tombstoneExpiry(deps.clock());
  if (sk.startsWith(RANGE.row)) {
    const { wec } = decodeRow(item);
    const tombstone = { pk, sk, version, expiresAt, body: encodeBody({ wec, deleted: true }) };
    const [took] = await deps.store.put([{ item: tombstone, condition: { type: 'newer' } }]);
    return took === true || !(await isNewer(deps, sweep, { pk, sk }));
  }
  const gone = { key: { pk, sk }, version, content: undefined, expiresAt };
  const { type } = await writeObserved(deps.store, gone);
  if (type === 'older') return false;
  if (subject.type === 'fleet' && subject.resource === 'clusters')
    await buryContact(deps, sweep, subject);
  return true;
}

/** Whether something stands under a key that the source has said since the listing began. */
async function isNewer(deps: AggregateDeps, { since }: Sweep, key: ItemKey): Promise<boolean> {
  const [item] = await deps.store.get([key]);
  return (item?.version ?? '') > versionText(since);
}

async function buryContact(
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
 * An entry that has been written since stays: its item may be on its way.
 *
 * @returns whether it stays
 */
async function forget(
  deps: AggregateDeps,
  sweep: Sweep,
  { pk, sk, version }: Item,
): Promise<boolean> {
  if (version === undefined || version > versionText(sweep.since)) return true;
  const [isGone] = await deps.store.delete([{ key: { pk, sk }, version }]);
  return isGone !== true;
}

/** As {@link sweepItem}, of an object of Fleet that has rows below others: nobody counts these. */
async function sweepPlaced(
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
  const places = await placeRows(deps.store, { key, version, rows: [] }, deps.clock());
  const cause = `sweep ${key.pk} ${version}`;
  const messages = messagesOfRows(places, { cause, change: earliestChange([sweep]) });
  if (messages.length > 0) await deps.dirty.send(messages);
  else if (await isNewer(deps, sweep, key)) return;
  await forget(deps, sweep, entry);
}

/** Whether an object has this head and no Binding has named it for long. */
function isForgotten(deps: AggregateDeps, head: Item | undefined): boolean {
  return head !== undefined && isLongUnnamed(decodeBody<Head>(head), deps.clock());
}

/**
 * The row of an object that no Binding has named for long goes, though the object stands. Its tombstone keeps the version, so
 * what comes late finds it, and says which object it was. Told like any row that goes: a Binding may name the object by now.
 *
 * @returns whether the entry stays
 */
async function dropUnnamed(
  deps: AggregateDeps,
  sweep: Sweep,
  { entry, item, subject }: Standing,
): Promise<boolean> {
  const { pk, sk, version = '' } = item;
  const { wec, row, unnamed } = decodeRow(item);
  if (row !== undefined) {
    const body = encodeBody({ wec, deleted: true, unnamed: row.uid });
    const tombstone = { pk, sk, version, body, expiresAt: tombstoneExpiry(deps.clock()) };
    const condition = { type: 'unchanged', version } as const;
    const [took] = await deps.store.put([{ item: tombstone, condition }]);
    if (took !== true) return true;
    // One of these may have been put by a sweep that died before it told.
  } else if (unnamed === undefined) return true;
  const message = { type: 'subject', subject, wecs: [wec], ...earliestChange([sweep]) } as const;
  await deps.dirty.send([encodeDirty(message, `unnamed ${sk} ${version}`)]);
  const [isGone] = await deps.store.delete([
    { key: { pk: entry.pk, sk: entry.sk }, version: entry.version ?? '' },
  ]);
  return isGone !== true;
}

/** What an entry speaks of and, where that is a row, the head of its object. */
async function readSaid(
  deps: AggregateDeps,
  key: ItemKey,
): Promise<{ readonly item: Item | undefined; readonly head: Item | undefined }> {
  const isRow = key.sk.startsWith(RANGE.row);
  const [item, head] = await deps.store.get(isRow ? [key, { pk: key.pk, sk: SORT.head }] : [key]);
  return { item, head };
}

/** The WEC of a row, as a message names it. */
function wecsOf(item: Item): { readonly wecs?: readonly string[] } {
  return item.sk.startsWith(RANGE.row) ? { wecs: [decodeRow(item).wec] } : {};
}

/**
 * What an entry speaks of is gone, or stands and is told where that is asked.
 *
 * @returns whether the entry stays
 */
async function sweepItem(
  deps: AggregateDeps,
  sweep: Sweep,
  { entry, isEcho, key, subject }: SeenEntry & { readonly entry: Item; readonly isEcho: boolean },
): Promise<boolean> {
  const { item, head } = await readSaid(deps, key);
  const since = versionText(sweep.since);
  const change = earliestChange([sweep]);
  const cause = `sweep ${sweep.source.type}/${sweep.source.name} ${since}`;
  // One that is still on its way is older than the floor, and will bury itself.
  if (item === undefined) return forget(deps, sweep, entry);
  if ((item.version ?? '') > since) {
    if (isEcho && key.sk !== SORT.policy)
      await deps.hints.send([encodeHint({ subject, objects: [], ...change }, cause)]);
    return isForgotten(deps, head) ? dropUnnamed(deps, sweep, { entry, item, subject }) : true;
  }
  if (!(await bury(deps, sweep, { item, subject }))) return true;
  // Told also when the tombstone stood there already: whoever put it may have crashed before telling.
  await deps.dirty.send([
    encodeDirty({ type: 'subject', subject, ...wecsOf(item), ...change }, `${cause} ${key.sk}`),
  ]);
  // No event will show the writer that it is gone, and what is wanted of it may be what was wanted before.
  if (subject.type === 'fleet')
    await deps.hints.send([encodeHint({ subject, objects: [], ...change }, cause)]);
  return forget(deps, sweep, entry);
}

/**
 * Whether the writer is to look at what stands. Of a WDS a complete listing is the echo of everything: what should stand
 * beside an object may have been deleted unseen. Of Fleet nothing is written before the first complete listing.
 */
async function isEchoOfAll(deps: AggregateDeps, { source, since }: Sweep): Promise<boolean> {
  return source.type === 'fleet'
    ? markListed(deps.store, source.name, since)
    : source.type === 'wds';
}

function warnOf(deps: AggregateDeps, { source }: Sweep, unreadable: readonly string[]): void {
  deps.telemetry.warn('entries of what a source has said cannot be read', {
    [source.type]: source.name,
    entries: unreadable.slice(0, MAX_NAMED),
    count: unreadable.length,
  });
}

/** What waited until the source has told everything: of a WDS also until its Bindings are followed. */
async function tellThoseWhoWait(deps: AggregateDeps, sweep: Sweep): Promise<void> {
  const { source } = sweep;
  const change = earliestChange([sweep]);
  if (source.type === 'wds') await lookAtWds(deps, source.name, change);
  else await tellWaiting(deps, source, change);
}

/** The count of a WEC's objects that goes with a sweep; absent: nobody counts them, or its first pages did not. */
function recountOf(deps: AggregateDeps, sweep: Sweep): Promise<Recount | undefined> {
  const { source, cursor, recount } = sweep;
  const isBegun = source.type !== 'wec' || cursor !== undefined;
  return isBegun ? Promise.resolve(recount) : beginRecount(deps.store, source);
}

/** Sweeps some entries; how many of them stay. An entry that cannot be read keeps no other from being swept. */
async function sweepEntries(
  deps: AggregateDeps,
  sweep: Sweep,
  { entries, isEcho }: { readonly entries: readonly Item[]; readonly isEcho: boolean },
): Promise<number> {
  const unreadable: string[] = [];
  let staying = 0;
  for (const entry of entries) {
    const key = parseSeenKey(entry.sk);
    const seen = parseSeenEntry(entry.sk);
    if (isPlacedKey(key)) await sweepPlaced(deps, sweep, { entry, key });
    else if (seen === undefined) unreadable.push(entry.sk);
    else if (await sweepItem(deps, sweep, { entry, isEcho, ...seen })) staying += 1;
  }
  if (unreadable.length > 0) warnOf(deps, sweep, unreadable);
  return staying + unreadable.length;
}

/**
 * Mark and sweep after a complete listing of a source: what it had said before the listing began, and not since, is gone
 * (design, section 6, invariant 8). Page by page. What stays of a WEC is counted anew.
 */
export async function sweepSource(deps: AggregateDeps, sweep: Sweep): Promise<void> {
  const { source, cursor: after } = sweep;
  if (after === undefined) await tellThoseWhoWait(deps, sweep);
  const isEcho = await isEchoOfAll(deps, sweep);
  // Before the first entry is read.
  const recount = await recountOf(deps, sweep);
  const { items, cursor } = await deps.store.query({
    ...range(sourcePartition(source), RANGE.seen),
    ...(after === undefined ? {} : { cursor: after }),
    limit: PAGE_SIZE,
  });
  const staying = await sweepEntries(deps, sweep, { entries: items, isEcho });
  const counted = recount && { ...recount, entries: recount.entries + staying };
  if (cursor === undefined) {
    if (counted !== undefined) await endRecount(deps.store, source, counted);
    return;
  }
  const next = { ...sweep, cursor, ...(counted === undefined ? {} : { recount: counted }) };
  await deps.dirty.send([encodeDirty(next, `sweep ${versionText(sweep.since)} ${cursor}`)]);
}
