import { sourcePartition } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { Item } from '#shared/ports/item-store.ts';
import { markListed } from '#shared/state/fleet/listed.ts';
import { isPlacedKey } from '#shared/state/fleet/placed-object.ts';
import {
  parseReportedEntry,
  parseReportedKey,
  RANGE,
  range,
  SORT,
  versionText,
} from '#shared/state/keys.ts';
import { beginRecount, endRecount, type Recount } from '#shared/state/quota.ts';
import { lookAtWds, notifyWaiting } from './awaited.ts';
import type { AggregateDeps } from './deps.ts';
import { UNREADABLE_REPORTS } from './messages.ts';
import { type Sweep, sweepItem, sweepPlaced } from './sweep-entry.ts';

const PAGE_SIZE = 100;
const MAX_NAMED = 20;

/**
 * Whether the writer checks the items that exist. For a WDS, a complete listing is the echo of all writes: an object that
 * should exist beside another may have been deleted unseen. For Fleet, nothing is written before the first complete listing.
 */
async function isEchoOfAll(deps: AggregateDeps, { source, since }: Sweep): Promise<boolean> {
  return source.type === 'fleet'
    ? markListed(deps.store, source.name, since)
    : source.type === 'wds';
}

function warnOf(deps: AggregateDeps, { source }: Sweep, unreadable: readonly string[]): void {
  deps.telemetry.warn(UNREADABLE_REPORTS, {
    [source.type]: source.name,
    entries: unreadable.slice(0, MAX_NAMED),
    count: unreadable.length,
  });
}

/**
 * Notifies the subjects that wait until the source has reported everything. Subjects that wait for a WDS also wait until its
 * Bindings are followed.
 */
async function notifyWaitingSubjects(deps: AggregateDeps, sweep: Sweep): Promise<void> {
  const { source } = sweep;
  const change = earliestChange([sweep]);
  if (source.type === 'wds') await lookAtWds(deps, source.name, change);
  else await notifyWaiting(deps, source, change);
}

/**
 * The recount of the objects of a WEC during a sweep. Absent: the objects are not counted, or the first pages of the sweep were
 * not.
 */
function recountOf(deps: AggregateDeps, sweep: Sweep): Promise<Recount | undefined> {
  const { source, cursor, recount } = sweep;
  const isBegun = source.type !== 'wec' || cursor !== undefined;
  return isBegun ? Promise.resolve(recount) : beginRecount(deps.store, source);
}

/** Sweeps entries, and returns how many of them stay. An entry that cannot be read does not prevent the sweep of the others. */
async function sweepEntries(
  deps: AggregateDeps,
  sweep: Sweep,
  { entries, isEcho }: { readonly entries: readonly Item[]; readonly isEcho: boolean },
): Promise<number> {
  const unreadable: string[] = [];
  let staying = 0;
  for (const entry of entries) {
    const key = parseReportedKey(entry.sk);
    const seen = parseReportedEntry(entry.sk);
    if (isPlacedKey(key)) await sweepPlaced(deps, sweep, { entry, key });
    else if (seen === undefined) unreadable.push(entry.sk);
    else if (await sweepItem(deps, sweep, { entry, isEcho, ...seen })) staying += 1;
  }
  if (unreadable.length > 0) warnOf(deps, sweep, unreadable);
  return staying + unreadable.length;
}

/**
 * Whether a cluster has completed a later listing. The sweep of that listing begins at the first entry, and finds everything
 * that this sweep would find. A sweep of an upstream of Fleet always goes on to its end: only the sweep of the first listing
 * notifies the writer of each object.
 */
async function isSuperseded(deps: AggregateDeps, { source, since }: Sweep): Promise<boolean> {
  if (source.type === 'fleet') return false;
  const [snapshot] = await deps.store.get([{ pk: sourcePartition(source), sk: SORT.snapshot }]);
  return (snapshot?.version ?? '') > versionText(since);
}

/**
 * Mark and sweep after a complete listing of a source: what the source had reported before the listing began, and not since, is
 * gone (docs/architecture.md, section 6, invariant 8). The sweep proceeds page by page. The entries of a WEC that stay are
 * counted again. If a cluster completes another listing meanwhile, the sweep ends, unless the source is an upstream of Fleet.
 * So a cluster that lists continuously has at most one sweep at a time.
 */
export async function sweepSource(deps: AggregateDeps, sweep: Sweep): Promise<void> {
  const { source, cursor: after } = sweep;
  if (await isSuperseded(deps, sweep)) return;
  if (after === undefined) await notifyWaitingSubjects(deps, sweep);
  const isEcho = await isEchoOfAll(deps, sweep);
  // The recount begins before the first entry is read.
  const recount = await recountOf(deps, sweep);
  const { items, cursor } = await deps.store.query({
    ...range(sourcePartition(source), RANGE.reported),
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
