import { lastEpochAt, MAX_SEQUENCE } from '#shared/core/epoch.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ItemKey, Put } from '#shared/ports/item-store.ts';
import { reportedKey, rowKey, SORT, versionText } from '#shared/state/keys.ts';
import { returnSlots, slotsToFree } from '#shared/state/quota.ts';
import { rowItem } from '#shared/state/rows.ts';
import { objectsPerWec } from './admit.ts';
import type { RecordDeps } from './follow-ups.ts';
import type { RowStatement } from './row-statement.ts';

/** A statement that is older than the last complete listing of its source. */
interface Outdated {
  readonly statement: RowStatement;
  /** The version of the tombstone that replaces its row, as text. */
  readonly tombstone: string;
}

/** An outdated statement, after the tombstone was put. */
interface Replaced extends Outdated {
  /** False if something newer is stored, or a tombstone. */
  readonly took: boolean;
}

/** Versions beyond this one are ahead of the clock. */
function latestVersion({ clock }: RecordDeps): string {
  return versionText({ epoch: lastEpochAt(clock()), sequence: MAX_SEQUENCE });
}

/**
 * The snapshot version of a source; `''` before its first complete listing. Everything that the source reported before it, and
 * not since, was deleted.
 */
export async function readSnapshotVersion(
  { store }: RecordDeps,
  source: EventSource,
): Promise<string> {
  const [snapshot] = await store.get([{ pk: sourcePartition(source), sk: SORT.snapshot }]);
  return snapshot?.version ?? '';
}

async function outdatedOnes(
  deps: RecordDeps,
  statements: readonly RowStatement[],
): Promise<readonly Outdated[]> {
  const sources = new Set(statements.map(({ source }) => sourcePartition(source)));
  const snapshots = await deps.store.get([...sources].map((pk) => ({ pk, sk: SORT.snapshot })));
  const snapshotVersions = new Map(snapshots.map((item) => [item?.pk, item?.version]));
  return statements.flatMap((statement) => {
    const tombstone = snapshotVersions.get(sourcePartition(statement.source));
    return tombstone !== undefined && versionText(statement.version) < tombstone
      ? [{ statement, tombstone }]
      : [];
  });
}

function entryPut({ statement, tombstone }: Outdated): Put {
  const { source, workload, wec } = statement;
  const item = { ...reportedKey(source, rowKey(workload, wec)), version: tombstone };
  return { item, condition: { type: 'newer' } };
}

function tombstonePut(deps: RecordDeps, { statement, tombstone }: Outdated): Put {
  const { workload, wec, version } = statement;
  const item = { ...rowItem(workload, { wec, version }, deps.clock()), version: tombstone };
  return { item, condition: { type: 'newer' } };
}

/**
 * Replaces rows that are older than the last complete listing of their source by tombstones: a delayed message may bring such
 * a row after the sweep. The snapshot version is read after the rows were put, and the sweep looks for rows after it put the
 * snapshot version. So one of the two sees the other.
 *
 * A tombstone is not replaced: its entry may have been removed and its slot returned, and another entry would have none.
 *
 * @param isLive whether a row may not be a tombstone yet
 * @returns the rows that are older
 */
export async function replaceOutdated(
  deps: RecordDeps,
  statements: readonly RowStatement[],
  isLive: (statement: RowStatement) => boolean,
): Promise<readonly Replaced[]> {
  const outdated = await outdatedOnes(deps, statements);
  const live = outdated.filter(({ statement }) => isLive(statement));
  if (live.length === 0) return outdated.map((one) => ({ ...one, took: false }));
  // The removal of a source has to find tombstones that are ahead of the clock.
  const ahead = live.filter(({ tombstone }) => tombstone > latestVersion(deps));
  if (ahead.length > 0) await deps.store.put(ahead.map(entryPut));
  const took = await deps.store.put(live.map((one) => tombstonePut(deps, one)));
  const replaced = new Set(live.filter((_one, index) => took[index] === true));
  return outdated.map((one) => ({ ...one, took: replaced.has(one) }));
}

/** A row that a tombstone has replaced. */
export interface GoneRow {
  readonly source: EventSource;
  readonly workload: WorkloadRef;
  readonly wec: string;
  /** The version of the tombstone, as text. */
  readonly tombstone: string;
}

/** The entries of rows, each with the newest tombstone of its row. */
function entriesOf(
  rows: readonly GoneRow[],
): readonly { readonly key: ItemKey; readonly tombstone: string }[] {
  const entries = new Map<string, { readonly key: ItemKey; readonly tombstone: string }>();
  for (const { source, workload, wec, tombstone } of rows) {
    const key = reportedKey(source, rowKey(workload, wec));
    if (tombstone > (entries.get(key.sk)?.tombstone ?? '')) entries.set(key.sk, { key, tombstone });
  }
  return [...entries.values()];
}

/** {@link freeSlots} for one source. */
async function freeOf(
  deps: RecordDeps,
  source: EventSource,
  rows: readonly GoneRow[],
): Promise<void> {
  const { store } = deps;
  const nowMs = deps.clock();
  // Read before the entries are removed: a recount that ends after this may no longer have found them.
  const slots = await slotsToFree(store, { source, limit: objectsPerWec(deps), nowMs });
  const entries = entriesOf(rows).slice(0, slots.count);
  if (entries.length === 0) return;
  const stored = await store.get(entries.map(({ key }) => key));
  const deletes = entries.flatMap(({ key, tombstone }, index) => {
    const version = stored[index]?.version;
    return version !== undefined && version <= tombstone ? [{ key, version }] : [];
  });
  if (deletes.length === 0) return;
  const isGone = await store.delete(deletes);
  const count = isGone.filter((one) => one).length;
  await returnSlots(store, { ...slots, count }, nowMs);
}

/**
 * Removes the entries of deleted objects, and frees their slots. No row needs an entry that is not newer than its tombstone: a
 * row that is put after the tombstone is the first of its object and puts its own entry before. An entry is removed only once,
 * so a slot is freed only once. After a crash in between, the count is too high until the next recount.
 *
 * The entry of a tombstone that is ahead of the clock stays. The removal of its source has to find it; otherwise a later source
 * of that name would be rejected.
 */
export async function freeSlots(deps: RecordDeps, gone: readonly GoneRow[]): Promise<void> {
  const limit = latestVersion(deps);
  const rows = gone.filter(({ tombstone }) => tombstone <= limit);
  for (const own of Map.groupBy(rows, ({ source }) => sourcePartition(source)).values()) {
    const source = own[0]?.source;
    if (source !== undefined) await freeOf(deps, source, own);
  }
}
