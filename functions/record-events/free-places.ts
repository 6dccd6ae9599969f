import { lastEpochAt, MAX_SEQUENCE } from '#shared/core/epoch.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { reportedKey, rowKey, versionText } from '#shared/state/keys.ts';
import { placesToFree, returnPlaces } from '#shared/state/quota.ts';
import { objectsPerWec } from './admit.ts';
import type { RecordDeps } from './follow-ups.ts';

/** What a WEC said of an object in whose place a tombstone has stood after that. */
export interface GoneRow {
  readonly source: EventSource;
  readonly workload: WorkloadRef;
  readonly wec: string;
  /** Version of the tombstone, as text. */
  readonly tombstone: string;
}

/** Entries, by their keys as text, and the newest tombstone that stood for each. */
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

/** As {@link freePlaces}, of one source. */
async function freeOf(
  deps: RecordDeps,
  source: EventSource,
  rows: readonly GoneRow[],
): Promise<void> {
  const { store } = deps;
  const nowMs = deps.clock();
  // Before the entries go: a recount that ends after this may have found them no more.
  const places = await placesToFree(store, { source, limit: objectsPerWec(deps), nowMs });
  const entries = entriesOf(rows).slice(0, places.count);
  if (entries.length === 0) return;
  const stored = await store.get(entries.map(({ key }) => key));
  const deletes = entries.flatMap(({ key, tombstone }, index) => {
    const version = stored[index]?.version;
    return version !== undefined && version <= tombstone ? [{ key, version }] : [];
  });
  if (deletes.length === 0) return;
  const isGone = await store.delete(deletes);
  const count = isGone.filter((one) => one).length;
  await returnPlaces(store, { ...places, count }, nowMs);
}

/**
 * Removes the entries of objects that are gone, and gives their places back. Where an entry is no newer than a tombstone
 * that has stood, no row needs it: one that is put after the tombstone is its object's first, and puts an entry of its own
 * before. An entry is removed once, whoever tries, so a place comes back once; whoever dies in between has counted too many,
 * until the next recount.
 *
 * The entry of a tombstone that is ahead of the clock stays: when the source is removed it has to be found, or it would keep
 * another one of that name from being heard.
 */
export async function freePlaces(deps: RecordDeps, gone: readonly GoneRow[]): Promise<void> {
  const limit = versionText({ epoch: lastEpochAt(deps.clock()), sequence: MAX_SEQUENCE });
  const rows = gone.filter(({ tombstone }) => tombstone <= limit);
  for (const own of Map.groupBy(rows, ({ source }) => sourcePartition(source)).values()) {
    const source = own[0]?.source;
    if (source !== undefined) await freeOf(deps, source, own);
  }
}
