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

/** DynamoDB bills writes in units of this size. */
const WRITE_UNIT_BYTES = 1024;
// Below this size, compression costs more time than the saved units are worth.
const MIN_COMPRESSED_BYTES = 2 * WRITE_UNIT_BYTES;

/** Encodes a text as a body. It is compressed if that saves a write unit. */
export function encodeText(text: string): string | Uint8Array {
  const plainBytes = Buffer.byteLength(text);
  if (plainBytes <= MIN_COMPRESSED_BYTES) return text;
  const compressed = deflateRawSync(text, { level: 1 });
  return Math.ceil(compressed.length / WRITE_UNIT_BYTES) < Math.ceil(plainBytes / WRITE_UNIT_BYTES)
    ? compressed
    : text;
}

/** Decodes the text of a body. */
export function decodeText(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : inflateRawSync(body).toString('utf8');
}

/** Writes and reads the bodies of one kind of item. */
export interface BodyCodec<T> {
  /** Encodes a value as the body of an item. */
  encode(value: T): string | Uint8Array;
  /**
   * Decodes the value of an item's body.
   *
   * @throws NewerBodyError if a newer release has written it; BodyError if it is not of this kind.
   */
  decode(item: Item): T;
}

/** The field of a body with its version. The first version does not write it. */
const VERSION_FIELD = 'bodyVersion';

/**
 * Parses the JSON of a stored text, and removes its version.
 *
 * @param version the newest known version
 * @throws NewerBodyError if the text has a newer version.
 */
function parseVersioned(
  text: string,
  kind: string,
  { key, version = 1 }: { readonly key: ItemKey; readonly version?: number },
): JsonValue {
  const value = parseJson(text);
  const written = member(value, VERSION_FIELD);
  if (typeof written !== 'number' || !isObject(value)) return value;
  if (written > version) throw new NewerBodyError(kind, key, { written, supported: version });
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

/** Writes and reads the texts of one kind of document. */
export interface TextCodec<T> {
  encode(value: T): string;
  /**
   * Decodes the value of a text.
   *
   * @param key the key of the document, for errors
   * @throws NewerBodyError if a newer release has written it; BodyError if it is not of this kind.
   */
  decode(text: string, key: ItemKey): T;
}

/**
 * Creates the codec of one kind of document. A release may add optional fields without a new version, because an older release
 * keeps fields that it does not know. If an older release would misread a change, the change needs a new version, and a value that
 * is an object.
 *
 * @param kind the name of the kind in errors
 * @param schema what this release and earlier ones have written
 * @param version the version that this release writes
 */
export function textCodec<T>(
  kind: string,
  schema: z.ZodMiniType<T, unknown>,
  version = 1,
): TextCodec<T> {
  return {
    encode(value) {
      // A document is plain JSON. Absent members are left out when it is written.
      const json = value as unknown as JsonValue;
      return stringifyJson(
        version === 1 ? json : { ...(json as JsonObject), [VERSION_FIELD]: version },
      );
    },
    decode: (text, key) =>
      checked(schema, parseVersioned(text, kind, { key, version }), { kind, key }),
  };
}

/** Creates the codec of one kind of item, by the rules of {@link textCodec}. */
export function bodyCodec<T>(
  kind: string,
  schema: z.ZodMiniType<T, unknown>,
  version = 1,
): BodyCodec<T> {
  const text = textCodec(kind, schema, version);
  return {
    encode: (value) => encodeText(text.encode(value)),
    decode: (item) => text.decode(decodeText(item.body ?? 'null'), item),
  };
}

/** Writes and reads values of one kind in JSON that another codec stores. */
export interface ContentCodec<T> {
  /** Encodes a value as JSON. */
  encode(value: T): JsonValue;
  /**
   * Decodes the value of JSON.
   *
   * @param key the key of the item with the JSON, for errors
   * @throws BodyError if the JSON is not of this kind.
   */
  decode(json: JsonValue, key: ItemKey): T;
}

/**
 * Creates the codec of one kind of content.
 *
 * @param kind the name of the kind in errors
 * @param schema what this release and earlier ones have written
 */
export function contentCodec<T>(kind: string, schema: z.ZodMiniType<T, unknown>): ContentCodec<T> {
  return {
    // Content is plain JSON.
    encode: (value) => value as unknown as JsonValue,
    decode: (json, key) => checked(schema, json, { kind, key }),
  };
}

/** The length of a body in bytes. */
export function bodyBytes(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
