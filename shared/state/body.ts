import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import type { Item } from '#shared/ports/item-store.ts';

/** DynamoDB bills writes in units of so many bytes. */
const WRITE_UNIT_BYTES = 1024;
// Compressing costs more time than the units of a small item are worth.
const MIN_COMPRESSED_BYTES = 2 * WRITE_UNIT_BYTES;

/** A body of canonical JSON text, compressed where that saves a write unit. */
export function encodeBody(value: JsonValue): string | Uint8Array {
  return encodeText(stringifyJson(value));
}

/** Text as a body, compressed where that saves a write unit. */
export function encodeText(text: string): string | Uint8Array {
  const plainBytes = Buffer.byteLength(text);
  if (plainBytes <= MIN_COMPRESSED_BYTES) return text;
  const compressed = deflateRawSync(text, { level: 1 });
  return Math.ceil(compressed.length / WRITE_UNIT_BYTES) < Math.ceil(plainBytes / WRITE_UNIT_BYTES)
    ? compressed
    : text;
}

/** The text of a body. */
export function decodeText(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : inflateRawSync(body).toString('utf8');
}

/**
 * The value of an item's body, which {@link encodeBody} made.
 *
 * `T` is what the writer of this kind of item put; the state layer is the only one that writes.
 */
export function decodeBody<T>(item: Item): T {
  // The state layer wrote this body from a T.
  return parseJson(decodeText(item.body ?? 'null')) as T;
}

/** Length of a body in bytes. */
export function bodyBytes(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
