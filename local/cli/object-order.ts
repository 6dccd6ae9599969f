import { at, type JsonObject } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';

function sortKey(object: JsonObject): readonly string[] {
  const apiVersion = String(object['apiVersion']);
  return [
    apiGroup(apiVersion),
    String(object['kind']),
    String(at(object, 'metadata', 'namespace') ?? ''),
    String(at(object, 'metadata', 'name')),
  ];
}

/** Orders objects by group, kind, namespace and name. */
export function byIdentity(a: JsonObject, b: JsonObject): number {
  const others = sortKey(b);
  for (const [index, text] of sortKey(a).entries()) {
    const other = others[index] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
