import { createBoundWorkload } from '#shared/core/status-api/create-wec-status.ts';
import type { BoundWorkload } from '#shared/core/status-api/wec-status.ts';
import type { ScopedPageRequest, StatusPage } from '#shared/ports/status-source.ts';
import { parseNamedSortKey } from '#shared/state/named-objects.ts';
import { EntryReader, entryRange, rangeAfter } from './entries.ts';
import type { ListDeps } from './list-statuses.ts';
import { BEGINNING, parsePosition, positionText } from './positions.ts';

/** After so many entries a page ends, however few objects may be read. */
const MAX_ENTRIES = 10_000;
/** So many objects are read at a time. */
const BATCH = 16;

/**
 * Reads a page of the workload objects that a Binding names, in the order of (namespace, name).
 *
 * @throws InvalidContinuationError
 */
export async function listObjects(
  deps: ListDeps,
  { scope, limit, after, readable }: ScopedPageRequest,
): Promise<StatusPage<BoundWorkload>> {
  const range = entryRange(deps.wds, scope, {});
  let { entry: last } = parsePosition(after);
  if (range === undefined) return { items: [] };
  const reader = new EntryReader(deps.store, rangeAfter(range, last));
  const items: BoundWorkload[] = [];
  for (let entries = 0; entries < MAX_ENTRIES && items.length < limit; ) {
    const keys = await reader.take(Math.min(limit - items.length, BATCH));
    const workloads = keys.flatMap((sk) => parseNamedSortKey(sk) ?? []).filter(readable);
    const found = await Promise.all(workloads.map((workload) => deps.objects.read(workload)));
    items.push(
      ...found.flatMap((bound) => (bound === undefined ? [] : createBoundWorkload(bound))),
    );
    entries += keys.length;
    last = keys.at(-1) ?? last;
    if ((await reader.peek()) === undefined) return { items };
  }
  return { items, next: positionText({ ...BEGINNING, entry: last }) };
}
