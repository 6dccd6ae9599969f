import { at, isObject, type JsonObject } from '#shared/core/json.ts';

/** The labels of an object or a cluster. */
export type Labels = Readonly<Record<string, string>>;

/** The value of a label, `undefined` where there is none. */
export function labelValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** The labels in the metadata of an API object; a value that is no string is no label. */
export function labelsOf(object: JsonObject): Labels {
  const labels = at(object, 'metadata', 'labels');
  const read: Record<string, string> = {};
  if (!isObject(labels)) return read;
  for (const [key, value] of Object.entries(labels))
    if (typeof value === 'string') read[key] = value;
  return read;
}

/** The keys of the labels that were added, removed or given another value. */
export function changedLabels(before: Labels, after: Labels): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const key of Object.keys(before))
    if (labelValue(after, key) !== before[key]) changed.add(key);
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) changed.add(key);
  return changed;
}
