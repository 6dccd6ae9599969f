import { at, type JsonObject } from './json.ts';
import { jsonBytes } from './json-size.ts';
import { type Labels, stringsOf } from './labels.ts';

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

/** The maximum number of labels and annotations of a WEC together. An event may have 1,000 values. */
export const MAX_INVENTORY_ENTRIES = 500;

/** How labels and annotations exceed the limits, for messages: `labels and annotations ...`. */
export const INVENTORY_EXCESS = `are more than ${MAX_INVENTORY_ENTRIES} or take more than ${MAX_INVENTORY_BYTES} bytes as JSON`;

/** An entry takes at least these bytes besides its characters: four quotation marks, a colon and a comma. */
const ENTRY_BYTES = 6;

/** kubectl's copy of the whole object says nothing about the cluster, and is often the largest annotation. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The labels and annotations that are kept, and the keys of those that are not. */
export interface BoundedInventory {
  readonly inventory: WecInventory;
  readonly leftOut: readonly string[];
}

/**
 * The labels and annotations of a WEC within {@link MAX_INVENTORY_BYTES} and {@link MAX_INVENTORY_ENTRIES}: the labels in the
 * order of their keys, then the annotations. One that does not fit is left out.
 */
export function boundedInventory({ labels, annotations }: WecInventory): BoundedInventory {
  let left = MAX_INVENTORY_BYTES - jsonBytes({ ...NO_INVENTORY });
  let entries = MAX_INVENTORY_ENTRIES;
  const leftOut: string[] = [];
  const fitting = (all: Labels): Labels => {
    const kept: [string, string][] = [];
    for (const key of Object.keys(all).sort()) {
      const value = all[key] as string; // one of its keys
      // There may be many more than fit, and measuring takes time.
      const isHopeless = entries === 0 || key.length + value.length + ENTRY_BYTES > left;
      // Each entry adds a comma instead of the braces.
      const bytes = isHopeless ? left + 1 : jsonBytes({ [key]: value }) - 1;
      if (bytes > left) leftOut.push(key);
      else {
        kept.push([key, value]);
        left -= bytes;
        entries -= 1;
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
