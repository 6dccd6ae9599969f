import { setImmediate as turn } from 'node:timers/promises';
import { createBoundWorkload } from '#shared/core/status-api/create-wec-status.ts';
import type { StatusSelector } from '#shared/core/status-api/selector.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ScopedPageRequest, StatusPage } from '#shared/ports/status-source.ts';
import { readSilentWecs } from '#shared/state/silence.ts';
import { type BoundObject, type BoundObjects, bindingsOf, wecOf } from './bound-object.ts';
import { type CensusDeps, wantedByCensus } from './census-names.ts';
import { entryRange } from './entries.ts';
import { parsePosition, positionText } from './positions.ts';
import { type Destination, type ReportDeps, readReports } from './reports.ts';
import { Selection } from './selection.ts';
import { NamedWalk } from './walk.ts';

/** What lists are read from. */
export interface ListDeps extends ReportDeps {
  readonly objects: BoundObjects;
}

/** A request for a page of statuses. */
export type StatusesRequest = ScopedPageRequest & { readonly selector: StatusSelector };

/** So many rows are read at first, and at a time: a row may have more than a megabyte. */
const FIRST_BATCH = 16;
const MAX_BATCH = 100;
/** After so many rows that are not selected, or so many bytes of statuses, a page ends. */
const MAX_LEFT_OUT = 2_000;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** The WECs of an object whose statuses may be selected. */
async function wantedWecs(
  deps: CensusDeps,
  selection: Selection,
  bound: BoundObject,
): Promise<readonly string[]> {
  if (!selection.mayNeedObject(createBoundWorkload(bound))) return [];
  const byCensus = selection.needsRow ? await wantedByCensus(deps, selection, bound) : undefined;
  return bound.wecs.filter((written) => {
    const wec = wecOf(written);
    if (byCensus?.(wec) === false) return false;
    return selection.mayNeedWec(bound.workload, wec, () => bindingsOf(bound, wec));
  });
}

/** Reads the silent WECs when they are first asked for. */
function silentOnce(store: ItemStore): CensusDeps['silent'] {
  let silent: Promise<ReadonlySet<string>> | undefined;
  return () => {
    silent ??= readSilentWecs(store).then((wecs) => new Set(wecs.keys()));
    return silent;
  };
}

/** How many rows to read: as many as fit into the page, if they are as large as those before. */
function batchAfter(read: number, bytes: number): number {
  if (read === 0) return FIRST_BATCH;
  const fitting = Math.floor((MAX_PAGE_BYTES - bytes) / (bytes / read));
  return Math.min(Math.max(fitting, 1), MAX_BATCH);
}

/** The next WECs of a walk, at most so many, and whether the walk ends or pauses after them. */
async function nextOf(
  walk: NamedWalk,
  { missing, most }: { readonly missing: number; readonly most: number },
): Promise<{ readonly batch: readonly Destination[]; readonly stop?: 'end' | 'pause' }> {
  const batch: Destination[] = [];
  while (batch.length < Math.min(missing, most)) {
    const next = await walk.next(missing - batch.length);
    if (next === 'end' || next === 'pause') return { batch, stop: next };
    batch.push(next);
  }
  return { batch };
}

/**
 * Reads a page of statuses in the order of (namespace, name). What the selector excludes by names, labels or Bindings is not read.
 * A page may be short: it ends after a number of rows that are not selected, and after a number of bytes.
 *
 * @throws InvalidContinuationError
 */
export async function listStatuses(
  deps: ListDeps,
  { scope, selector, limit, after, readable }: StatusesRequest,
  signal?: AbortSignal,
): Promise<StatusPage<WecStatus>> {
  const selection = new Selection(selector);
  const range = entryRange(deps.wds, scope, selection.required);
  const position = parsePosition(after);
  if (range === undefined) return { items: [] };
  const census = { store: deps.store, silent: silentOnce(deps.store) };
  const walk = new NamedWalk(deps.store, deps.objects, {
    range,
    after: position,
    mayNeed: (workload) => readable(workload) && selection.mayNeed(workload),
    wecsOf: (bound) => wantedWecs(census, selection, bound),
  });
  const items: WecStatus[] = [];
  let [read, size] = [0, 0];
  while (items.length < limit && read - items.length < MAX_LEFT_OUT && size < MAX_PAGE_BYTES) {
    const { batch, stop } = await nextOf(walk, {
      missing: limit - items.length,
      most: batchAfter(read, size),
    });
    const { statuses, bytes } = await readReports(deps, batch, signal);
    // A store in this process answers at once, so a page would be one block of the event loop.
    await turn();
    read += statuses.length;
    size += bytes;
    items.push(...statuses.filter((status) => selection.hasStatus(status)));
    if (stop === 'end') return { items };
    if (stop === 'pause') break;
  }
  return (await walk.isAtEnd()) ? { items } : { items, next: positionText(walk.position) };
}
