import type { JsonValue } from '#shared/core/json.ts';

/** Values under any keys, as plain JSON. */
export type JsonRecord<V extends JsonValue> = { readonly [key: string]: V };

/** Both records together; `merge` makes one value of the two under a key that both have. */
export function mergeRecords<V extends JsonValue>(
  a: JsonRecord<V>,
  b: JsonRecord<V>,
  merge: (a: V, b: V) => V,
): JsonRecord<V> {
  const merged = new Map<string, V>(Object.entries(a));
  for (const [key, value] of Object.entries(b)) {
    const other = merged.get(key);
    merged.set(key, other === undefined ? value : merge(other, value));
  }
  // Not by assignment: a field may be called __proto__.
  return Object.fromEntries(merged);
}
