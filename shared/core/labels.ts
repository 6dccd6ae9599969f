import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';

/** The labels of an object or a cluster. */
export type Labels = Readonly<Record<string, string>>;

/** The value of a label, or `undefined` if the label is missing. */
export function labelValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** The members of a JSON object that are strings. Other values are ignored. */
export function stringsOf(value: JsonValue | undefined): Labels {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** The labels in the metadata of an API object. Values that are not strings are ignored. */
export function labelsOf(object: JsonObject): Labels {
  return stringsOf(at(object, 'metadata', 'labels'));
}

/** The keys of the labels that were added, removed or changed. */
export function changedLabels(before: Labels, after: Labels): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const key of Object.keys(before))
    if (labelValue(after, key) !== before[key]) changed.add(key);
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) changed.add(key);
  return changed;
}
