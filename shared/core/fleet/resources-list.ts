import { encodeUtf8 } from '#shared/core/expression/utf8.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { resourceId, resourceType } from './resource-states.ts';
import {
  CLUSTER_LISTS,
  type ClusterList,
  clustersNamed,
  type ResourceEntry,
  type ResourcesPart,
} from './resources-fold.ts';

/** The list of resources of a status, as far as it fits. */
export interface ResourcesList {
  readonly resources: readonly JsonObject[];
  /** The number of resources that the list leaves out. */
  readonly left: number;
  /** The number of resources that do not name all their clusters. */
  readonly cut: number;
}

/** etcd accepts 1.5 MiB for an object with its managedFields. This is the share of the list of resources. */
export const RESOURCES_BYTES = 640 * 1024;

/** The bytes that JSON adds to a name, a list of names, an entry and the whole list. */
const NAME_OVERHEAD = '"",'.length;
const LIST_OVERHEAD = '"":[],'.length;
const ENTRY_OVERHEAD = ','.length;
const BRACKETS = '[]'.length;

interface Sized {
  readonly entry: ResourceEntry;
  /** Bytes of the entry without its clusters. */
  readonly base: number;
  /** For each list, the bytes of its first n clusters, by n. */
  readonly names: readonly Uint32Array[];
}

// Entries and lists never change, and most are the same after a change of one deployment.
const measured = new WeakMap<ResourceEntry, Sized>();
const summed = new WeakMap<ClusterList, Uint32Array>();
const written = new WeakMap<ResourceEntry, { readonly max: number; readonly json: JsonObject }>();

function listName(index: number): string {
  // Every list has a name.
  return CLUSTER_LISTS[index] as string;
}

function prefixSums(list: ClusterList): Uint32Array {
  const sums = summed.get(list) ?? sumNames(list);
  summed.set(list, sums);
  return sums;
}

function sumNames([index, clusters]: ClusterList): Uint32Array {
  const sums = new Uint32Array(clusters.length + 1);
  let sum = listName(index).length + LIST_OVERHEAD;
  let position = 0;
  for (const cluster of clusters) {
    // Kubernetes' names are ASCII.
    sum += cluster.length + NAME_OVERHEAD;
    position += 1;
    sums[position] = sum;
  }
  return sums;
}

function sizedOf(entry: ResourceEntry): Sized {
  let sized = measured.get(entry);
  if (sized === undefined) {
    const base = encodeUtf8(JSON.stringify(resourceJson(entry, 0))).length + ENTRY_OVERHEAD;
    sized = { entry, base, names: entry.lists.map(prefixSums) };
    measured.set(entry, sized);
  }
  return sized;
}

function isCut({ lists }: ResourceEntry, max: number): boolean {
  return lists.some(([, clusters]) => clusters.length > max);
}

function perClusterState({ lists }: ResourceEntry, max: number): JsonObject {
  const named: Record<string, JsonValue> = {};
  if (max > 0)
    for (const [index, clusters] of lists)
      named[listName(index)] = clusters.length <= max ? clusters : clusters.slice(0, max);
  return named;
}

function resourceJson(entry: ResourceEntry, max: number): JsonObject {
  const { ref, first, incomplete } = entry;
  const { apiVersion, kind, namespace, name } = ref;
  return {
    ...(apiVersion === '' ? {} : { apiVersion }),
    kind,
    type: resourceType(ref),
    id: resourceId(ref),
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(incomplete || isCut(entry, max) ? { incompleteState: true } : {}),
    state: first?.state ?? 'Ready',
    ...(first?.error === true ? { error: true } : {}),
    ...(first?.transitioning === true ? { transitioning: true } : {}),
    ...(first === null || first.message === '' ? {} : { message: first.message }),
    perClusterState: perClusterState(entry, max),
  };
}

function writtenJson(entry: ResourceEntry, max: number): JsonObject {
  const cached = written.get(entry);
  if (cached?.max === max) return cached.json;
  const json = resourceJson(entry, max);
  written.set(entry, { max, json });
  return json;
}

/** Keeps as many resources as fit without any clusters. Resources that are not Ready come first. */
function kept(all: readonly Sized[], bytes: number): readonly Sized[] {
  let left = bytes;
  const fits = ({ base }: Sized): boolean => {
    if (base > left) return false;
    left -= base;
    return true;
  };
  if (all.every(fits)) return all;
  left = bytes;
  const worst = all.filter(({ entry }) => entry.first !== null);
  const best = all.filter(({ entry }) => entry.first === null);
  const chosen = new Set([...worst, ...best].filter(fits));
  return all.filter((one) => chosen.has(one));
}

/** The greatest number of clusters that each list may name. It is the same for all lists, so none is cut for another. */
function clustersEach(
  all: readonly Sized[],
  { bytes, most }: { readonly bytes: number; readonly most: number },
): number {
  const used = (max: number): number => {
    let sum = 0;
    for (const { base, names } of all) {
      sum += base;
      // The index is within the list.
      for (const list of names) sum += list[Math.min(max, list.length - 1)] as number;
    }
    return sum;
  };
  if (used(most) <= bytes) return most;
  let low = 0;
  let high = most - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (used(middle) <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * `status.resources` (Fleet, Status Fields, "Resources List"), cut to a maximum number of bytes. The cut is deterministic:
 * first, all lists of clusters are cut to the same length, then Ready resources are left out, then others. A resource that does
 * not name all its clusters has `incompleteState`.
 */
export function resourcesList(part: ResourcesPart, bytes = RESOURCES_BYTES): ResourcesList {
  const room = bytes - BRACKETS;
  const sized = kept(part.map(sizedOf), room);
  const max = clustersEach(sized, { bytes: room, most: clustersNamed(part.length) });
  return {
    resources: sized.map(({ entry }) => writtenJson(entry, max)),
    left: part.length - sized.length,
    cut: sized.filter(({ entry }) => isCut(entry, max)).length,
  };
}
