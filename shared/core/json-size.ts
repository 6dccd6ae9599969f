import { isArray, isObject, type JsonObject, type JsonValue, stringifyJson } from './json.ts';

/** A value that is nested deeper counts as larger than any limit, because reading and writing JSON is recursive. */
const MAX_DEPTH = 500;
const PLAIN = /^[ !#-[\]-~]*$/;
/** Characters that have an escape of two characters. */
const SHORT_ESCAPES = '\b\t\n\f\r"\\';
const LONG_ESCAPE = 6;

/** The bytes of a character that is not plain, or may not be. */
function characterBytes(character: string, point: number): number {
  if (SHORT_ESCAPES.includes(character)) return 2;
  if (point < 0x20) return LONG_ESCAPE;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  if (point > 0xffff) return 4;
  // An unpaired surrogate is written as an escape.
  return point >= 0xd800 && point <= 0xdfff ? LONG_ESCAPE : 3;
}

class Counter {
  bytes = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a value. Returns false as soon as the limit is exceeded, without reading the rest. */
  value(value: JsonValue | undefined, depth: number): boolean {
    if (typeof value === 'string') return this.#text(value);
    if (depth > MAX_DEPTH) return this.#add(Number.POSITIVE_INFINITY);
    if (isArray(value)) return this.#list(value, depth + 1);
    return isObject(value)
      ? this.#object(value, depth + 1)
      : this.#add(stringifyJson(value).length);
  }

  #list(list: readonly JsonValue[], depth: number): boolean {
    return (
      this.#add(2 + Math.max(list.length - 1, 0)) &&
      // Each element takes at least a byte.
      this.bytes + list.length <= this.#limit &&
      list.every((element) => this.value(element, depth))
    );
  }

  #object(object: JsonObject, depth: number): boolean {
    let separator = 0;
    for (const key in object) {
      const member: JsonValue | undefined = object[key];
      if (member === undefined) continue;
      if (!this.#text(key) || !this.#add(1 + separator) || !this.value(member, depth)) return false;
      separator = 1;
    }
    return this.#add(2);
  }

  #add(bytes: number): boolean {
    this.bytes += bytes;
    return this.bytes <= this.#limit;
  }

  #text(text: string): boolean {
    // Each character takes at least a byte.
    if (!this.#add(text.length + 2)) return false;
    if (PLAIN.test(text)) return true;
    let bytes = 0;
    // A character has a code point.
    for (const character of text)
      bytes += characterBytes(character, Number(character.codePointAt(0)));
    return this.#add(bytes - text.length);
  }
}

/**
 * The number of UTF-8 bytes that {@link stringifyJson} writes for a value, without making the text. A part that is
 * referenced twice counts twice.
 *
 * @param limit the value is read only up to this limit; by default, to its end
 * @returns the bytes; any number greater than `limit` if the value is larger, or nested deeper than 500 levels
 */
export function jsonBytes(value: JsonValue | undefined, limit = Number.MAX_SAFE_INTEGER): number {
  const counter = new Counter(limit);
  return counter.value(value, 0) ? counter.bytes : Math.max(counter.bytes, limit + 1);
}
