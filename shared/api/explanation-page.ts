import { setImmediate as turn } from 'node:timers/promises';
import {
  type ExplainedBound,
  ofWorkload,
  selectableExplanation,
} from '#shared/core/explanation/selectable-explanation.ts';
import { selects } from '#shared/core/status-api/selector.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { StatusPage, StatusSource, WorkloadsRequest } from '#shared/ports/status-source.ts';
import { explainState } from './explain-state.ts';
import type { ItemRequest } from './served-resource.ts';

/** After so many rows, or objects, a page ends, however few are selected. */
const MAX_ROWS = 10_000;
const MAX_OBJECTS = 500;
/** So many objects are named at a time. */
const BATCH = 16;

/** How many objects to read: as many as have the rows that are left, if each has as many as those before. */
function batchAfter({ objects, rows }: Reading): number {
  if (objects === 0) return 1;
  const each = Math.max(rows / objects, 1);
  return Math.min(Math.max(Math.floor((MAX_ROWS - rows) / each), 1), BATCH);
}

/** What was read for a page so far. */
interface Reading {
  readonly items: ExplainedBound[];
  objects: number;
  rows: number;
}

/** Reads an object for a page. After each, others have their turn. */
async function readNext(
  source: StatusSource,
  {
    workload,
    request,
    signal,
  }: {
    readonly workload: WorkloadName;
    readonly request: ItemRequest;
    readonly signal: AbortSignal;
  },
  reading: Reading,
): Promise<void> {
  const state = await source.workload(workload, signal);
  await turn();
  reading.objects += 1;
  // No Binding names it any more.
  if (state === undefined) return;
  reading.rows += state.reported?.rows.size ?? 0;
  const explained = await explainState(state, signal);
  if (selects(request.selector, selectableExplanation(explained))) reading.items.push(explained);
}

function mayReadMore({ items, objects, rows }: Reading, { limit }: ItemRequest): boolean {
  return items.length < limit && rows < MAX_ROWS && objects < MAX_OBJECTS;
}

function workloadsRequest(request: ItemRequest): Omit<WorkloadsRequest, 'limit' | 'after'> {
  const { scope, selector, readable, wecs } = request;
  return {
    ...{ scope, selector: ofWorkload(selector), readable },
    ...(wecs === undefined ? {} : { wecs }),
  };
}

/**
 * A page of explanations in the order of (namespace, name). Names and labels are selected before anything is read; the action and
 * the health are only known when all rows have been read. A page may be short: it ends after a number of rows and objects.
 *
 * @throws InvalidContinuationError
 */
export async function explanationPage(
  source: StatusSource,
  request: ItemRequest,
  signal: AbortSignal,
): Promise<StatusPage<ExplainedBound>> {
  const asked = workloadsRequest(request);
  const reading: Reading = { items: [], objects: 0, rows: 0 };
  const { items } = reading;
  let next = request.after;
  while (mayReadMore(reading, request)) {
    const limit = Math.min(request.limit - items.length, batchAfter(reading));
    const after = next === undefined ? {} : { after: next };
    const page = await source.workloads({ ...asked, limit, ...after }, signal);
    for (const { workload } of page.items)
      await readNext(source, { workload, request, signal }, reading);
    next = page.next;
    if (next === undefined) return { items };
    // The source has looked at as much as it does for one page.
    if (page.items.length === 0) break;
  }
  return { items, ...(next === undefined ? {} : { next }) };
}
