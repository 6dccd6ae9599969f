import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { type Query, readQuery, shortQuery } from './query.ts';

/** The API takes no longer query, so no longer one is unpacked. */
const MAX_CHARACTERS = 64 * 1024;

/** Bytes that are compressed or expanded, at most so many. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  by: CompressionStream | DecompressionStream,
  max: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(by).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > max) {
      await reader.cancel();
      throw new RangeError(`more than ${max} bytes`);
    }
    parts.push(value as Uint8Array<ArrayBuffer>); // streams do not share their memory
  }
}

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** A question as the part of an address: JSON, deflated (RFC 1951), in base64url (RFC 4648). */
export async function packQuery(query: Query): Promise<string> {
  const text = new TextEncoder().encode(stringifyJson(shortQuery(query)));
  return base64url(
    await through(text, new CompressionStream('deflate-raw'), Number.POSITIVE_INFINITY),
  );
}

/** The inverse of {@link packQuery}. Undefined if the text is none of its results. */
export async function unpackQuery(packed: string): Promise<Query | undefined> {
  let value: JsonValue;
  try {
    const stream = new DecompressionStream('deflate-raw');
    const bytes = await through(bytesOf(packed), stream, MAX_CHARACTERS);
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Whoever opens such an address cannot do anything about the reason: it was cut, or written by hand.
    return undefined;
  }
  return readQuery(value);
}
