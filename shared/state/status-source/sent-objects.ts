import type { Destinations } from '#shared/core/binding/destinations.ts';
import { sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { parseWorkloadKey, type WorkloadRef } from '#shared/core/workload.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { decodeHead, type Head, readHead } from '#shared/state/head.ts';
import { parseReportedEntry, RANGE, range, SORT } from '#shared/state/keys.ts';
import { type DestinationStore, isEmptyList } from '#shared/state/membership.ts';
import { pages } from '#shared/state/pages.ts';
import { retryRead } from '#shared/state/retry-contention.ts';

/** What the objects that are sent to WECs are found in. */
export interface SentDeps {
  readonly store: ItemStore;
  readonly wds: string;
  readonly destinations: DestinationStore;
}

/** A workload object, and the destination lists of the Bindings by which it is sent to WECs that were asked for. */
export interface SentObject {
  readonly workload: WorkloadRef;
  readonly lists: readonly Destinations[];
}

/** Of a WDS with more Bindings that have destinations, nothing is counted. */
const MAX_SENDING = 2_000;
/** Of a WDS that has had more Bindings, nothing is counted: the head of each is read, also of a deleted one. */
const MAX_HEADS = 10_000;
/** So many heads are read at a time. */
const HEADS_AT_ONCE = 200;

/** The partitions of the Bindings that the WDS has ever reported, some at a time. Each may come twice. */
async function* bindingsOf({ store, wds }: SentDeps): AsyncGenerator<readonly string[]> {
  const entries = range(sourcePartition({ type: 'wds', name: wds }), `${RANGE.reported}B#`);
  for await (const items of pages(store, { ...entries, limit: HEADS_AT_ONCE }))
    yield items.flatMap(({ sk }) => {
      const subject = parseReportedEntry(sk)?.subject;
      return subject === undefined ? [] : [subjectPartition(subject)];
    });
}

/** The heads of the Bindings that have destinations. Undefined if there are too many. */
async function sendingHeads(deps: SentDeps): Promise<ReadonlyMap<string, Head> | undefined> {
  const sending = new Map<string, Head>();
  const read = new Set<string>();
  for await (const found of bindingsOf(deps)) {
    const bindings = [...new Set(found)].filter((pk) => !read.has(pk));
    const heads = await deps.store.get(bindings.map((pk) => ({ pk, sk: SORT.head })));
    for (const [index, pk] of bindings.entries()) {
      read.add(pk);
      const head = decodeHead(heads[index]);
      const { destinations } = head;
      // A Binding that was deleted has none.
      if (destinations !== undefined && !isEmptyList(destinations)) sending.set(pk, head);
    }
    if (sending.size > MAX_SENDING || read.size > MAX_HEADS) return undefined;
  }
  return sending;
}

/** The destinations of a Binding. Undefined if it has none. */
function destinationsOf(
  { store, destinations }: SentDeps,
  pk: string,
  read: Head,
): Promise<Destinations | undefined> {
  let head = read;
  return retryRead(`the destinations of ${pk}`, async () => {
    if (head.destinations === undefined) return { found: undefined };
    const found = await destinations.get(pk, head.destinations);
    if (found !== undefined) return { found };
    head = await readHead(store, pk);
    return undefined;
  });
}

/** The Bindings that send to one of some WECs, with their destinations. Undefined if the WDS has too many Bindings. */
async function sendingBindings(
  deps: SentDeps,
  wecs: readonly string[],
): Promise<readonly (readonly [pk: string, list: Destinations])[] | undefined> {
  const heads = await sendingHeads(deps);
  if (heads === undefined) return undefined;
  const sending: (readonly [string, Destinations])[] = [];
  for (const [pk, head] of heads) {
    const list = await destinationsOf(deps, pk, head);
    if (list !== undefined && wecs.some((wec) => list.set.has(wec))) sending.push([pk, list]);
  }
  return sending;
}

/** The keys of the objects that some Bindings name, each with the destinations of the Binding. */
async function* membersOf(
  { store }: SentDeps,
  bindings: readonly (readonly [pk: string, list: Destinations])[],
): AsyncGenerator<readonly [key: string, list: Destinations]> {
  for (const [pk, list] of bindings)
    for await (const items of pages(store, range(pk, RANGE.member)))
      for (const { sk } of items) yield [sk.slice(RANGE.member.length), list];
}

/**
 * Finds the objects that Bindings send to some WECs, without looking at other objects: from the destinations of the Bindings, and
 * from the entries of the objects below them.
 *
 * @param most the most objects; with more of them, or with too many Bindings, the answer is undefined
 */
export async function findSentObjects(
  deps: SentDeps,
  wecs: readonly string[],
  most: number,
): Promise<readonly SentObject[] | undefined> {
  const bindings = await sendingBindings(deps, wecs);
  if (bindings === undefined) return undefined;
  const found = new Map<string, Destinations[]>();
  for await (const [key, list] of membersOf(deps, bindings)) {
    found.set(key, [...(found.get(key) ?? []), list]);
    if (found.size > most) return undefined;
  }
  return [...found].map(([key, lists]) => ({
    workload: parseWorkloadKey(`${deps.wds}/${key}`),
    lists,
  }));
}
