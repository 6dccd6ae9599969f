import { compareText, type EntryOrder, mergeFirst } from '#shared/core/collector/first-entries.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { DeploymentRow } from './deployment-row.ts';
import { NO_CLUSTER } from './fleet-object.ts';
import type { ResourceRef } from './resource-states.ts';

/** The lists of `perClusterState`, in Fleet's order. */
export const CLUSTER_LISTS = [
  'ready',
  'waitApplied',
  'pending',
  'modified',
  'orphaned',
  'missing',
  'unknown',
  'notReady',
] as const;

/** So many clusters of each list are named at most, and at least. */
export const MAX_CLUSTERS_NAMED = 500;
const MIN_CLUSTERS_NAMED = 10;
/** So many are named of all resources in one list each: a status has no room for more. */
const CLUSTERS_IN_ALL = 40_960;

/**
 * How many clusters of each list are named of so many resources. A part that is stored and merged is not larger than it has
 * to be for a status. The more resources there are, the fewer clusters: so no merge leaves out what a later one needs, and
 * the result is the same in any order.
 */
export function clustersNamed(resources: number): number {
  const each = Math.floor(CLUSTERS_IN_ALL / Math.max(1, resources));
  return Math.min(MAX_CLUSTERS_NAMED, Math.max(MIN_CLUSTERS_NAMED, each));
}

/** The first resource that is not Ready, by cluster: it decides what the resource as a whole shows. */
export interface FirstNonReady extends JsonObject {
  readonly cluster: string;
  readonly state: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  readonly message: string;
}

/**
 * A list of clusters: its index in {@link CLUSTER_LISTS}, and the clusters, sorted, each once. One more is kept than is
 * named ({@link clustersNamed}): it tells that there are more.
 */
export type ClusterList = readonly [index: number, clusters: readonly string[]];

/** A resource in all clusters. */
export interface ResourceEntry extends JsonObject {
  readonly key: string;
  readonly ref: ResourceRef & JsonObject;
  /** The lists that are not empty, in the order of {@link CLUSTER_LISTS}. */
  readonly lists: readonly ClusterList[];
  readonly first: FirstNonReady | null;
  readonly incomplete: boolean;
}

/** The resources of some deployments, sorted by key. */
export type ResourcesPart = readonly ResourceEntry[];

/** The part of no deployments. */
export const NO_ENTRIES: ResourcesPart = [];

type ListName = (typeof CLUSTER_LISTS)[number];

const LIST_OF: ReadonlyMap<string, ListName> = new Map([
  ['Ready', 'ready'],
  ['WaitApplied', 'waitApplied'],
  // What is deployed is ready; what is staged is not deployed.
  ['OutOfSync', 'ready'],
  ['Pending', 'pending'],
  ['Modified', 'modified'],
  ['Orphaned', 'orphaned'],
  ['Missing', 'missing'],
  ['Unknown', 'unknown'],
]);

/** The list that a state of a resource stands in: each stands in one, so that together they are all clusters. */
function listIndex(state: string): number {
  return CLUSTER_LISTS.indexOf(LIST_OF.get(state) ?? 'notReady');
}

/** The part of one deployment. Its resources share their lists, so that merging can share them as well. */
export function liftResources(row: DeploymentRow): ResourcesPart {
  const cluster = row.cluster || NO_CLUSTER;
  const lists = new Map<number, readonly ClusterList[]>();
  const listsAt = (index: number): readonly ClusterList[] => {
    const known = lists.get(index) ?? [[index, [cluster]]];
    lists.set(index, known);
    return known;
  };
  return row.resources.map(([key, { ref, state, error, transitioning, message }]) => ({
    key,
    // A reference is plain JSON.
    ref: ref as ResourceEntry['ref'],
    lists: listsAt(listIndex(state)),
    first: state === 'Ready' ? null : { cluster, state, error, transitioning, message },
    incomplete: row.incomplete,
  }));
}

/** How lists are merged that keep so many clusters. */
function listsOf(limit: number): EntryOrder<ClusterList> {
  const clusters: EntryOrder<string> = { limit, compare: compareText, combine: (a) => a };
  return {
    limit: CLUSTER_LISTS.length,
    compare: ([a], [b]) => a - b,
    combine: ([index, names], [, others]) => [index, mergeFirst(names, others, clusters)],
  };
}

/** How many resources two parts have together. */
function resourcesIn(a: ResourcesPart, b: ResourcesPart): number {
  let both = 0;
  let place = 0;
  for (const { key } of a) {
    while (place < b.length && compareText((b[place] as ResourceEntry).key, key) < 0) place += 1;
    if (b[place]?.key === key) both += 1;
  }
  return a.length + b.length - both;
}

// Entries and lists never change, and most are the same after a change of one deployment: what is made of them is, too.
const cutEntries = new WeakMap<ResourceEntry, ResourceEntry>();
const cutLists = new WeakMap<ResourceEntry['lists'], ResourceEntry['lists']>();

function isLonger(lists: ResourceEntry['lists'], limit: number): boolean {
  return lists.some(([, names]) => names.length > limit);
}

/** Lists with at most so many clusters. Entries of one Bundle share their lists, and go on sharing them. */
function listsWithin(lists: ResourceEntry['lists'], limit: number): ResourceEntry['lists'] {
  const known = cutLists.get(lists);
  // Cut for fewer resources, or for more.
  if (known?.some(([, names]) => names.length === limit) === true && !isLonger(known, limit))
    return known;
  const shorter = lists.map(([index, names]): ClusterList => [index, names.slice(0, limit)]);
  cutLists.set(lists, shorter);
  return shorter;
}

/** An entry whose lists have at most so many clusters. */
function entryWithin(entry: ResourceEntry, limit: number): ResourceEntry {
  if (!isLonger(entry.lists, limit)) return entry;
  const lists = listsWithin(entry.lists, limit);
  const known = cutEntries.get(entry);
  if (known?.lists === lists) return known;
  const cut = { ...entry, lists };
  cutEntries.set(entry, cut);
  return cut;
}

/** Of two deployments in one cluster it is the texts that decide, so that their order does not. */
function compareFirst(a: FirstNonReady, b: FirstNonReady): number {
  return (
    compareText(a.cluster, b.cluster) ||
    compareText(a.state, b.state) ||
    compareText(a.message, b.message) ||
    Number(a.error) - Number(b.error) ||
    Number(a.transitioning) - Number(b.transitioning)
  );
}

function earlier(a: FirstNonReady | null, b: FirstNonReady | null): FirstNonReady | null {
  if (a === null || b === null) return a ?? b;
  return compareFirst(a, b) <= 0 ? a : b;
}

interface MergedLists {
  readonly a: ResourceEntry['lists'];
  readonly b: ResourceEntry['lists'];
  readonly both: ResourceEntry['lists'];
}

/** The part of both together. The resources of a Bundle mostly have the same lists, which are merged once. */
export function mergeResources(a: ResourcesPart, b: ResourcesPart): ResourcesPart {
  const limit = clustersNamed(resourcesIn(a, b)) + 1;
  const order = listsOf(limit);
  let last: MergedLists | undefined;
  const mergedLists = (x: ResourceEntry['lists'], y: ResourceEntry['lists']): MergedLists =>
    last?.a === x && last.b === y ? last : { a: x, b: y, both: mergeFirst(x, y, order) };
  const merged = mergeFirst<ResourceEntry>(a, b, {
    limit: Number.POSITIVE_INFINITY,
    compare: (x, y) => compareText(x.key, y.key),
    combine: (x, y) => {
      last = mergedLists(x.lists, y.lists);
      return {
        key: x.key,
        ref: x.ref,
        lists: last.both,
        first: earlier(x.first, y.first),
        incomplete: x.incomplete || y.incomplete,
      };
    },
  });
  return limit > MAX_CLUSTERS_NAMED ? merged : merged.map((entry) => entryWithin(entry, limit));
}
