import { createBoundWorkload } from '#shared/core/status-api/create-wec-status.ts';
import type { BoundWorkload } from '#shared/core/status-api/wec-status.ts';
import type { StatusPage, WorkloadsRequest } from '#shared/ports/status-source.ts';
import { parseNamedSortKey } from '#shared/state/named-objects.ts';
import { EntryReader, entryRange, rangeAfter } from './entries.ts';
import type { ListDeps } from './list-statuses.ts';
import { BEGINNING, parsePosition, positionText } from './positions.ts';
import { WorkloadSelection } from './workload-selection.ts';

/** After so many entries, or objects, a page ends, however few are selected. */
const MAX_ENTRIES = 10_000;
const MAX_OBJECTS = 500;
/** So many objects are read at a time. */
const BATCH = 16;

/** The objects of some entries that are wanted, and how many were read. */
async function readWanted(
  { objects }: ListDeps,
  wanted: WorkloadSelection,
  keys: readonly string[],
): Promise<{ readonly found: readonly BoundWorkload[]; readonly read: number }> {
  const workloads = keys
    .flatMap((sk) => parseNamedSortKey(sk) ?? [])
    .filter((workload) => wanted.mayNeed(workload));
  const bound = await Promise.all(workloads.map((workload) => objects.read(workload)));
  const found = bound.flatMap((one) => {
    if (one === undefined) return [];
    const listed = createBoundWorkload(one);
    return wanted.has(one, listed) ? [listed] : [];
  });
  return { found, read: workloads.length };
}

/**
 * Reads a page of the workload objects that a Binding names, in the order of (namespace, name). A page may be short: it ends after a
 * number of entries and objects.
 *
 * @throws InvalidContinuationError
 */
export async function listObjects(
  deps: ListDeps,
  request: WorkloadsRequest,
): Promise<StatusPage<BoundWorkload>> {
  const { scope, limit, after } = request;
  const wanted = new WorkloadSelection(request);
  const range = entryRange(deps.wds, scope, wanted.required);
  let { entry: last } = parsePosition(after);
  if (range === undefined) return { items: [] };
  const reader = new EntryReader(deps.store, rangeAfter(range, last));
  const items: BoundWorkload[] = [];
  let [entries, objects] = [0, 0];
  while (entries < MAX_ENTRIES && objects < MAX_OBJECTS && items.length < limit) {
    const keys = await reader.take(Math.min(limit - items.length, BATCH));
    const { found, read } = await readWanted(deps, wanted, keys);
    items.push(...found);
    entries += keys.length;
    objects += read;
    last = keys.at(-1) ?? last;
    if ((await reader.peek()) === undefined) return { items };
  }
  return { items, next: positionText({ ...BEGINNING, entry: last }) };
}
