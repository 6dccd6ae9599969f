import type { JsonValue } from '#shared/core/json.ts';

/** Values under any keys, as plain JSON. */
export type JsonRecord<V extends JsonValue> = { readonly [key: string]: V };

/** Both records together. If both have a key, `merge` combines the two values. */
export function mergeRecords<V extends JsonValue>(
  a: JsonRecord<V>,
  b: JsonRecord<V>,
  merge: (a: V, b: V) => V,
): JsonRecord<V> {
  const merged: Record<string, V> = { ...a };
  for (const [key, added] of Object.entries(b)) {
    const other = Object.hasOwn(a, key) ? a[key] : undefined;
    const value = other === undefined ? added : merge(other, added);
    // A field may have this name too, and an assignment would set the prototype instead.
    if (key === '__proto__')
      Object.defineProperty(merged, key, { value, enumerable: true, configurable: true });
    else merged[key] = value;
  }
  return merged;
}
