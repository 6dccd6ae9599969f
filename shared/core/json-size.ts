import { isArray, isObject, type JsonObject, type JsonValue, stringifyJson } from './json.ts';

/** Deeper values are taken for larger than any limit: whoever writes or reads JSON goes down step by step. */
const MAX_DEPTH = 500;
const PLAIN = /^[ !#-[\]-~]*$/;
/** What has an escape of two characters. */
const SHORT_ESCAPES = '\b\t\n\f\r"\\';
const LONG_ESCAPE = 6;

/** What a character that is not plain, or may not be, takes. */
function characterBytes(character: string, point: number): number {
  if (SHORT_ESCAPES.includes(character)) return 2;
  if (point < 0x20) return LONG_ESCAPE;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  if (point > 0xffff) return 4;
  // Half of a pair that stands alone is written as an escape.
  return point >= 0xd800 && point <= 0xdfff ? LONG_ESCAPE : 3;
}

class Counter {
  bytes = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a value; false as soon as the limit is exceeded, with the rest not looked at. */
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
      // No element takes less than a byte.
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
    // No character takes less than a byte.
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
 * How many bytes of UTF-8 {@link stringifyJson} writes for a value, a part that is referred to twice counted twice, and
 * without making the text.
 *
 * @param limit the value is looked at no further than this; default: to its end
 * @returns the bytes; any number beyond `limit` where it is larger, or nested deeper than 500 levels
 */
export function jsonBytes(value: JsonValue | undefined, limit = Number.MAX_SAFE_INTEGER): number {
  const counter = new Counter(limit);
  return counter.value(value, 0) ? counter.bytes : Math.max(counter.bytes, limit + 1);
}
