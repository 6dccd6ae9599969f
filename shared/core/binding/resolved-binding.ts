import type { DownsyncModulation } from './downsync-modulation.ts';
import type { DownsyncObjectRef } from './downsync-object.ts';

/** An object that a BindingPolicy sends to WECs. */
export interface ResolvedObject extends DownsyncObjectRef {
  readonly version: string;
  /** The resourceVersion at which the content of the object last changed, as far as known. */
  readonly resourceVersion: string;
  /** What all clauses that match the object request for it. */
  readonly modulation: DownsyncModulation;
}

/** The current resolution of a BindingPolicy: which objects go to which WECs. */
export interface ResolvedBinding {
  /** Names of the WECs, sorted, each once. */
  readonly destinations: readonly string[];
  /** Sorted by group, resource, namespace and name, each object once. */
  readonly objects: readonly ResolvedObject[];
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Orders objects by group, resource, namespace and name, in code units. */
export function byObject(a: DownsyncObjectRef, b: DownsyncObjectRef): number {
  return (
    byText(a.group, b.group) ||
    byText(a.resource, b.resource) ||
    byText(a.namespace, b.namespace) ||
    byText(a.name, b.name)
  );
}
