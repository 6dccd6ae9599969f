import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type * as z from 'zod/mini';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import { BodyError, NewerBodyError } from '#shared/errors.ts';
import type { Item, ItemKey } from '#shared/ports/item-store.ts';

/** DynamoDB bills writes in units of so many bytes. */
const WRITE_UNIT_BYTES = 1024;
// Compressing costs more time than the units of a small item are worth.
const MIN_COMPRESSED_BYTES = 2 * WRITE_UNIT_BYTES;

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

/** How the bodies of one kind of item are written and read. */
export interface BodyCodec<T> {
  /** A value as the body of an item. */
  encode(value: T): string | Uint8Array;
  /**
   * The value of an item's body.
   *
   * @throws NewerBodyError where a newer release has written it; BodyError where it is not of this kind.
   */
  decode(item: Item): T;
}

/** Where a body says its version; the first version says nothing. */
const VERSION_FIELD = 'bodyVersion';

/**
 * The JSON of a stored text, without its version.
 *
 * @param version the newest that is known
 * @throws NewerBodyError where it has a newer one.
 */
export function parseVersioned(
  text: string,
  kind: string,
  { key, version = 1 }: { readonly key: ItemKey; readonly version?: number },
): JsonValue {
  const value = parseJson(text);
  const written = member(value, VERSION_FIELD);
  if (typeof written !== 'number' || !isObject(value)) return value;
  if (written > version) throw new NewerBodyError(kind, key, { written, known: version });
  const { [VERSION_FIELD]: _version, ...rest } = value;
  return rest;
}

/** @throws BodyError if the JSON does not match the schema. */
function checked<T>(
  schema: z.ZodMiniType<T, unknown>,
  json: JsonValue,
  { kind, key }: { readonly kind: string; readonly key: ItemKey },
): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new BodyError(
    kind,
    key,
    result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
  );
}

/**
 * The codec of one kind of item. A release may add optional fields without a new version: fields that it does not know stay
 * as they are. Whatever an older release would misread needs a new one.
 *
 * @param kind names it in errors
 * @param schema what this release and those before it have written
 * @param version what this release writes
 */
export function bodyCodec<T>(
  kind: string,
  schema: z.ZodMiniType<T, unknown>,
  version = 1,
): BodyCodec<T> {
  return {
    encode(value) {
      // A body is plain JSON; absent members are left out when it is written.
      const json = value as unknown as JsonValue;
      return encodeText(
        stringifyJson(version === 1 ? json : { ...(json as JsonObject), [VERSION_FIELD]: version }),
      );
    },
    decode(item) {
      const text = decodeText(item.body ?? 'null');
      const json = parseVersioned(text, kind, { key: item, version });
      return checked(schema, json, { kind, key: item });
    },
  };
}

/** How a value of one kind is written into JSON that another codec stores, and read from it. */
export interface ContentCodec<T> {
  /** A value as JSON. */
  encode(value: T): JsonValue;
  /**
   * The value that JSON holds.
   *
   * @param key of the item that holds it, for the error
   * @throws BodyError if the JSON is not of this kind.
   */
  decode(json: JsonValue, key: ItemKey): T;
}

/**
 * The codec of one kind of content.
 *
 * @param kind names it in errors
 * @param schema what this release and those before it have written
 */
export function contentCodec<T>(kind: string, schema: z.ZodMiniType<T, unknown>): ContentCodec<T> {
  return {
    // Content is plain JSON.
    encode: (value) => value as unknown as JsonValue,
    decode: (json, key) => checked(schema, json, { kind, key }),
  };
}

/** Length of a body in bytes. */
export function bodyBytes(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
