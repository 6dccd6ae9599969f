import type { EventSource } from './event.ts';
import { AGGREGATED_RESOURCES, type AggregatedResource } from './fleet-object.ts';
import { parseWorkloadKey, type WorkloadRef, workloadKey } from './workload.ts';

/** An object of Fleet, in the management cluster `upstream`, whose status depends on other objects. */
export interface FleetSubject {
  readonly type: 'fleet';
  readonly upstream: string;
  readonly resource: AggregatedResource;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Something that has a desired result: a workload object, a Binding with its BindingPolicy, a StatusCollector, or an
 * object of Fleet.
 */
export type Subject =
  | FleetSubject
  | { readonly type: 'workload'; readonly workload: WorkloadRef }
  | { readonly type: 'binding'; readonly wds: string; readonly name: string }
  | { readonly type: 'collector'; readonly wds: string; readonly name: string };

/** How the partitions of all workload objects begin. */
export const WORKLOAD_PARTITIONS = 'W#';

/** The partition of a workload object's items. */
export function workloadPartition(workload: WorkloadRef): string {
  return `${WORKLOAD_PARTITIONS}${workloadKey(workload)}`;
}

/**
 * The partition of a subject's items: `W#<workload>`, `B#<wds>/<binding>`, `C#<wds>/<collector>` or
 * `F#<upstream>/<resource>/<namespace>/<name>`.
 */
export function subjectPartition(subject: Subject): string {
  switch (subject.type) {
    case 'workload':
      return workloadPartition(subject.workload);
    case 'binding':
      return `B#${subject.wds}/${subject.name}`;
    case 'collector':
      return `C#${subject.wds}/${subject.name}`;
    case 'fleet':
      return `F#${subject.upstream}/${subject.resource}/${subject.namespace}/${subject.name}`;
  }
}

function parseFleetSubject(key: string): FleetSubject | undefined {
  const [upstream, plural, namespace, name, ...rest] = key.split('/');
  const resource = AGGREGATED_RESOURCES.find((one) => one === plural);
  return resource !== undefined && upstream && namespace && name && rest.length === 0
    ? { type: 'fleet', upstream, resource, namespace, name }
    : undefined;
}

/**
 * The inverse of {@link subjectPartition}.
 *
 * @throws RangeError if the text is not such a partition key
 */
export function parseSubject(partition: string): Subject {
  const key = partition.slice(2);
  if (partition.startsWith(WORKLOAD_PARTITIONS))
    return { type: 'workload', workload: parseWorkloadKey(key) };
  const fleet = partition.startsWith('F#') ? parseFleetSubject(key) : undefined;
  if (fleet !== undefined) return fleet;
  const [wds, name, ...rest] = key.split('/');
  if (wds && name && rest.length === 0) {
    if (partition.startsWith('B#')) return { type: 'binding', wds, name };
    if (partition.startsWith('C#')) return { type: 'collector', wds, name };
  }
  throw new RangeError(`not a subject: ${partition}`);
}

/** Identifies the objects of a namespace of a management cluster. */
export interface FleetNamespace {
  readonly upstream: string;
  readonly namespace: string;
}

/** The partition of the objects in a namespace: `I#<upstream>/<namespace>`. */
export function inventoryPartition({ upstream, namespace }: FleetNamespace): string {
  return `I#${upstream}/${namespace}`;
}

/** The partition of what is known about a source of events. */
export function sourcePartition(source: EventSource): string {
  return `E#${source.type}/${source.name}`;
}
