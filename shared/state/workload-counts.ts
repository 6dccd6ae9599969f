import * as z from 'zod/mini';
import { addWorkloads, type WorkloadCount } from '#shared/core/health/workload-counts.ts';
import { resourceText } from '#shared/core/status-api/status-name.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { decodeHead } from '#shared/state/head.ts';
import { SORT, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { namedPartition, parseNamedSortKey } from '#shared/state/named-objects.ts';
import { pages } from '#shared/state/pages.ts';
import { compareAndPut } from './compare-and-put.ts';

/** A count of the workload objects of a WDS that goes on in several steps. */
export interface Counting {
  /** The objects that this count has found until now. */
  readonly counts: readonly WorkloadCount[];
  /** The sort key of the last entry that was counted. Absent: the count has found all objects. */
  readonly after?: string;
}

/** A count as it is stored between two invocations. */
export interface StoredCounting extends Counting {
  /** 0 if nothing is stored. */
  readonly revision: number;
  /** What was published last. */
  readonly published: readonly WorkloadCount[];
}

const PAGE_SIZE = 500;
/** Sorts immediately after the same text. */
const NEXT = '\u0000';

async function countedEntries(
  store: ItemStore,
  wds: string,
  entries: readonly Item[],
): Promise<Parameters<typeof addWorkloads>[1]> {
  const workloads = entries.flatMap(({ sk }) => parseNamedSortKey(sk) ?? []);
  const keys = workloads.map((workload) => ({
    pk: subjectPartition({ type: 'workload', workload: { wds, ...workload } }),
    sk: SORT.head,
  }));
  const heads = await store.get(keys);
  return workloads.map((workload, index) => ({
    resource: resourceText(workload),
    verdict: decodeHead(heads[index]).verdict?.status,
  }));
}

/**
 * Counts the workload objects of a WDS that a Binding names, by resource and verdict. It reads an entry and a head of each object, and
 * no row of a WEC. The objects are not read at one moment: one that changes meanwhile counts as before or as after.
 *
 * @param before where an unfinished count ended. Default: a new count
 * @param most ends the step after so many entries, or a page later
 */
export async function countWorkloads(
  store: ItemStore,
  wds: string,
  {
    before = { counts: [] },
    most = Number.POSITIVE_INFINITY,
  }: { readonly before?: Counting; readonly most?: number } = {},
): Promise<Counting> {
  let { counts } = before;
  const from = before.after === undefined ? {} : { from: `${before.after}${NEXT}` };
  let entries = 0;
  for await (const items of pages(store, {
    pk: namedPartition(wds),
    ...from,
    limit: PAGE_SIZE,
  })) {
    counts = addWorkloads(counts, await countedEntries(store, wds, items));
    entries += items.length;
    const after = items.at(-1)?.sk;
    if (entries >= most && after !== undefined) return { counts, after };
  }
  return { counts };
}

const count = looseObject({ resource: z.string(), verdict: z.string(), objects: z.number() });
const COUNTING = bodyCodec<Omit<StoredCounting, 'revision'>>(
  'count of workload objects',
  looseObject({
    counts: z.array(count),
    after: z.exactOptional(z.string()),
    published: z.array(count),
  }),
);

function countingKey(wds: string): ItemKey {
  return { pk: 'COUNTS', sk: wds };
}

/** Reads the count of a WDS that is stored. */
export async function readCounting(store: ItemStore, wds: string): Promise<StoredCounting> {
  const [item] = await store.get([countingKey(wds)]);
  if (item === undefined) return { revision: 0, counts: [], published: [] };
  return { ...COUNTING.decode(item), revision: Number(item.version) };
}

/** Stores a count after the revision that was read. Returns false if another process has stored one meanwhile. */
export function putCounting(
  store: ItemStore,
  wds: string,
  { revision, ...counting }: StoredCounting,
): Promise<boolean> {
  const item = {
    ...countingKey(wds),
    version: sortableNumber(revision + 1),
    body: COUNTING.encode(counting),
  };
  return compareAndPut(store, item, revision === 0 ? '' : sortableNumber(revision));
}
