import { compareText, type EntryOrder, mergeFirst } from '#shared/core/collector/first-entries.ts';
import { NO_CLUSTER } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { DeploymentRow } from './deployment-row.ts';
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

/** The maximum and minimum number of clusters that each list may name. */
export const MAX_CLUSTERS_NAMED = 500;
const MIN_CLUSTERS_NAMED = 10;
/** The maximum number of clusters if the resources have one list each: a status has no room for more. */
const CLUSTERS_IN_ALL = 40_960;

/**
 * The number of clusters that each list may name, for a number of resources. A stored or merged part is not larger than a
 * status needs it. The more resources there are, the fewer clusters are named. Therefore no merge leaves out what a later merge
 * needs, and the result does not depend on the order.
 */
export function clustersNamed(resources: number): number {
  const each = Math.floor(CLUSTERS_IN_ALL / Math.max(1, resources));
  return Math.min(MAX_CLUSTERS_NAMED, Math.max(MIN_CLUSTERS_NAMED, each));
}

/** The first resource that is not Ready, by cluster. It decides the state of the resource as a whole. */
export interface FirstNonReady extends JsonObject {
  readonly cluster: string;
  readonly state: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  readonly message: string;
}

/**
 * A list of clusters: its index in {@link CLUSTER_LISTS}, and the clusters, sorted, each once. The list has one more than can
 * be named ({@link clustersNamed}), which shows that there are more.
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
  // What is deployed is ready. What is staged is not deployed.
  ['OutOfSync', 'ready'],
  ['Pending', 'pending'],
  ['Modified', 'modified'],
  ['Orphaned', 'orphaned'],
  ['Missing', 'missing'],
  ['Unknown', 'unknown'],
]);

/** The list for a state of a resource. Each state has one list, so the lists together name all clusters. */
function listIndex(state: string): number {
  return CLUSTER_LISTS.indexOf(LIST_OF.get(state) ?? 'notReady');
}

/** The part of one deployment. Its resources share their lists, so a merge can share them as well. */
export function liftResources(row: DeploymentRow): ResourcesPart {
  const cluster = row.cluster || NO_CLUSTER;
  const lists = new Map<number, readonly ClusterList[]>();
  const listsAt = (index: number): readonly ClusterList[] => {
    const existing = lists.get(index) ?? [[index, [cluster]]];
    lists.set(index, existing);
    return existing;
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

/** How lists with a maximum number of clusters are merged. */
function listsOf(limit: number): EntryOrder<ClusterList> {
  const clusters: EntryOrder<string> = { limit, compare: compareText, combine: (a) => a };
  return {
    limit: CLUSTER_LISTS.length,
    compare: ([a], [b]) => a - b,
    combine: ([index, names], [, others]) => [index, mergeFirst(names, others, clusters)],
  };
}

/** The number of different resources in two parts. */
function resourcesIn(a: ResourcesPart, b: ResourcesPart): number {
  let both = 0;
  let index = 0;
  for (const { key } of a) {
    while (index < b.length && compareText((b[index] as ResourceEntry).key, key) < 0) index += 1;
    if (b[index]?.key === key) both += 1;
  }
  return a.length + b.length - both;
}

// Entries and lists never change, and most are the same after a change of one deployment. So the results for them are kept.
const cutEntries = new WeakMap<ResourceEntry, ResourceEntry>();
const cutLists = new WeakMap<ResourceEntry['lists'], ResourceEntry['lists']>();

function isLonger(lists: ResourceEntry['lists'], limit: number): boolean {
  return lists.some(([, names]) => names.length > limit);
}

/** Cuts lists to a maximum number of clusters. Entries of one Bundle share their lists, and still share the result. */
function listsWithin(lists: ResourceEntry['lists'], limit: number): ResourceEntry['lists'] {
  const cached = cutLists.get(lists);
  // The known result may be for another number of resources.
  if (cached?.some(([, names]) => names.length === limit) === true && !isLonger(cached, limit))
    return cached;
  const shorter = lists.map(([index, names]): ClusterList => [index, names.slice(0, limit)]);
  cutLists.set(lists, shorter);
  return shorter;
}

/** Cuts the lists of an entry to a maximum number of clusters. */
function entryWithin(entry: ResourceEntry, limit: number): ResourceEntry {
  if (!isLonger(entry.lists, limit)) return entry;
  const lists = listsWithin(entry.lists, limit);
  const cached = cutEntries.get(entry);
  if (cached?.lists === lists) return cached;
  const cut = { ...entry, lists };
  cutEntries.set(entry, cut);
  return cut;
}

/** If two deployments are in one cluster, the texts decide, so the result does not depend on their order. */
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

/** Merges two parts. The resources of a Bundle usually share their lists, which are then merged once. */
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
