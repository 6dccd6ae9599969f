import {
  type GroupResource,
  parseWorkloadText,
  resourceText,
  type WorkloadName,
  workloadText,
} from '#shared/core/status-api/status-name.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { sortableNumber } from '#shared/state/keys.ts';

/** Sorts before every character of a namespace, so the entries are in the order of (namespace, name in the API). */
const NAMESPACE_END = '#';
/** The partition of the entries of a WDS: the workload objects that a Binding names. */
export function namedPartition(wds: string): string {
  return `N#${wds}`;
}

/** The beginning of the sort keys of a namespace. `''`: the objects without a namespace. */
export function namedPrefix(namespace: string): string {
  return `${namespace}${NAMESPACE_END}`;
}

/** The beginning of the sort keys of a resource in a namespace. */
export function namedResourcePrefix(namespace: string, resource: GroupResource): string {
  return `${namedPrefix(namespace)}${resourceText(resource)}:`;
}

/** The sort key of the entry of a workload object: `<namespace>#<resource>[.<group>]:<name>`. */
export function namedSortKey(workload: WorkloadName): string {
  return `${namedPrefix(workload.namespace)}${workloadText(workload)}`;
}

/** The inverse of {@link namedSortKey}. Undefined if the text is no such key. */
export function parseNamedSortKey(sk: string): WorkloadName | undefined {
  const end = sk.indexOf(NAMESPACE_END);
  return end < 0 ? undefined : parseWorkloadText(sk.slice(end + 1), sk.slice(0, end));
}

/** The key of the entry. Undefined if the API has no name for the object: a Binding may name what no API server has. */
function namedKey(workload: WorkloadRef): ItemKey | undefined {
  const sk = namedSortKey(workload);
  const parsed = parseNamedSortKey(sk);
  const isSame = parsed?.resource === workload.resource && parsed.name === workload.name;
  return isSame ? { pk: namedPartition(workload.wds), sk } : undefined;
}

/**
 * Puts the entry that a Binding names an object.
 *
 * @param revision the revision of the head that will say so. An entry of a later revision stays.
 */
export async function putNamed(
  store: ItemStore,
  workload: WorkloadRef,
  revision: number,
): Promise<void> {
  const key = namedKey(workload);
  if (key === undefined) return;
  const item = { ...key, version: sortableNumber(revision) };
  await store.put([{ item, condition: { type: 'newer' } }]);
}

/** Reads the version of the entry of an object. Undefined if there is none. */
export async function readNamed(
  store: ItemStore,
  workload: WorkloadRef,
): Promise<string | undefined> {
  const key = namedKey(workload);
  if (key === undefined) return undefined;
  const [item] = await store.get([key]);
  return item?.version;
}

/** Removes the entry of an object, unless it was put again since this version was read. */
export async function removeNamed(
  store: ItemStore,
  workload: WorkloadRef,
  version: string,
): Promise<void> {
  const key = namedKey(workload);
  if (key !== undefined) await store.delete([{ key, version }]);
}
