import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import type { Item } from '#shared/ports/item-store.ts';
import { decodeText, encodeText } from '#shared/state/body.ts';

/** A body with any JSON in it, as releases store it. */
export function jsonBody(value: JsonValue): string | Uint8Array {
  return encodeText(stringifyJson(value));
}

/** The JSON of an item's body. */
export function bodyJson<T>(item: Item): T {
  return parseJson(decodeText(item.body ?? 'null')) as T;
}
