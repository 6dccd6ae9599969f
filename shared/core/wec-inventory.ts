import { type Labels, stringsOf } from './binding/labels.ts';
import { at, type JsonObject } from './json.ts';
import { jsonBytes } from './json-size.ts';

/** What expressions see of a WEC in `inventory`, besides its name. */
export interface WecInventory {
  readonly labels: Labels;
  readonly annotations: Labels;
}

/** A WEC of which nothing is known but its name. */
export const NO_INVENTORY: WecInventory = { labels: {}, annotations: {} };

/**
 * The labels and annotations of a WEC take at most this many bytes as JSON. A process that aggregates keeps those of all WECs
 * in memory.
 */
export const MAX_INVENTORY_BYTES = 8 * 1024;

/** kubectl's copy of the whole object says nothing about the cluster, and is often the largest annotation. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The labels and annotations that are kept, and the keys of those that are not. */
export interface BoundedInventory {
  readonly inventory: WecInventory;
  readonly leftOut: readonly string[];
}

/**
 * The labels and annotations of a WEC within {@link MAX_INVENTORY_BYTES}: the labels in the order of their keys, then the
 * annotations. One that does not fit is left out.
 */
export function boundedInventory({ labels, annotations }: WecInventory): BoundedInventory {
  let left = MAX_INVENTORY_BYTES - jsonBytes({ ...NO_INVENTORY });
  const leftOut: string[] = [];
  const fitting = (all: Labels): Labels => {
    const kept: [string, string][] = [];
    for (const key of Object.keys(all).sort()) {
      const value = all[key] as string; // one of its keys
      // Each entry adds a comma instead of the braces.
      const bytes = jsonBytes({ [key]: value }) - 1;
      if (bytes > left) leftOut.push(key);
      else {
        kept.push([key, value]);
        left -= bytes;
      }
    }
    return Object.fromEntries(kept);
  };
  return { inventory: { labels: fitting(labels), annotations: fitting(annotations) }, leftOut };
}

/** What expressions see of the WEC of a ManagedCluster (OCM, ManagedCluster API): the labels and annotations of that object. */
export function managedInventory(cluster: JsonObject): BoundedInventory {
  const { [LAST_APPLIED]: _copy, ...annotations } = stringsOf(
    at(cluster, 'metadata', 'annotations'),
  );
  return boundedInventory({ labels: stringsOf(at(cluster, 'metadata', 'labels')), annotations });
}
