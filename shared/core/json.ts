/**
 * A JSON number that was written as a floating-point literal although its value is integral (`3.0`, `1e3`). In CEL it
 * is a `double`, while `3` is an `int`. API servers never write it, but files may contain it.
 */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/**
 * A JSON value without loss: an integer beyond 2^53 is a `bigint`, an integral floating-point literal is a
 * {@link Float}, every other number is a `number`.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | readonly JsonValue[]
  | JsonObject;

/** A JSON object; {@link member} reads it safely. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
// A literal that JSON.parse may change: -0, 16 characters or more, an exponent, a fraction of zeros. Any other decimal
// of up to 15 digits that is not an integer is not one as a double either. Nor is a longer one, such as most results of
// divisions, if it is below 10^10 and a millionth or more from an integer: doubles there are two millionths apart, at most.
// The literal is searched for only at places of numbers, because digits inside strings (times, uids) are common and need
// no handling.
const NEEDS_SOURCE =
  /(?:"\s*:|[[,]|^)\s*(?:-0(?![.\d])|-?(?!\d{1,10}\.(?!0{6}|9{6})\d{6,}(?![.\deE]))(?:[\d.]{16}|[\d.]+[eE]|\d+\.0+(?!\d)))/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const INTEGER = /^-?\d+$/;
/** The length of a 64-bit integer. A longer number is a double, and its text is not converted digit by digit. */
const MAX_INTEGER_CHARACTERS = 20;

function integerOf(source: string, parsed: number): JsonValue {
  if (Number.isSafeInteger(parsed)) return parsed === 0 ? 0 : parsed;
  if (source.length > MAX_INTEGER_CHARACTERS) return parsed;
  const exact = BigInt(source);
  return exact >= INT64_MIN && exact <= INT64_MAX ? exact : parsed;
}

/** The value of a number that {@link isMarked}. */
function numberOf(source: string): JsonValue {
  const parsed = Number(source);
  return INTEGER.test(source) ? integerOf(source, parsed) : new Float(parsed);
}

/** The beginning of texts that represent numbers. In a text of JSON, this character can occur only as this escape. */
const MARK = '\u0001';
const ESCAPED_MARK = '\\u0001';

/** A mark with its number in the text of a JSON string. Each character of it may be an escape. */
const USED_MARK = /\\u0001(?:\d|\\u003\d){1,8}(?:;|\\u003[bB])/g;
/** What a mark in a text has beside its digits. */
const NO_DIGITS = /\\u0001|\\u003|[;bB]/g;

/** A number that no mark in the text has, followed by `;`. */
function unusedMark(text: string): string {
  const used = new Set<string>();
  for (const [mark] of text.matchAll(USED_MARK)) used.add(mark.replaceAll(NO_DIGITS, ''));
  let number = 0;
  while (used.has(String(number))) number += 1;
  return `${number};`;
}

/** A string, or what may be a number. A string without an end is the rest of the text. */
const TOKEN = /"|-?\d[-+.\deE]*/g;
const COLON = /\s*:/y;

function isFollowedByColon(text: string, at: number): boolean {
  COLON.lastIndex = at;
  return COLON.test(text);
}

/** The position after the string of JSON whose text begins at a position. If the string has no end, the end of the text. */
export function afterString(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    at = end + 1;
    if (backslashes % 2 === 0) return at;
  }
}

/** Whether `JSON.parse` loses what a number is: an integer that is no safe one, or a floating-point literal that is integral. */
function isMarked(source: string): boolean {
  if (!NEEDS_SOURCE.test(source) || !NUMBER.test(source)) return false;
  return INTEGER.test(source) || Number.isSafeInteger(Number(source));
}

/**
 * The text in which each number that `JSON.parse` reads otherwise is replaced by a marked string, if there is one. Invalid JSON stays
 * invalid.
 */
function markNumbers(text: string, mark: string): string | undefined {
  const pieces: string[] = [];
  let kept = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [source] = token;
    const { index } = token;
    if (source === '"') {
      TOKEN.lastIndex = afterString(text, index + 1);
      continue;
    }
    const end = index + source.length;
    if (!isMarked(source) || isFollowedByColon(text, end)) continue;
    pieces.push(text.slice(kept, index), `"${ESCAPED_MARK}${mark}${source}"`);
    kept = end;
  }
  return kept === 0 ? undefined : pieces.join('') + text.slice(kept);
}

type Container = Record<string, JsonValue>;

/** Replaces the marked strings in a container by numbers. Returns the containers in it that may have more of them. */
function unmarkIn(container: Container, prefix: string): readonly Container[] {
  const inner: Container[] = [];
  for (const key of Object.keys(container)) {
    const one = container[key];
    if (typeof one === 'object' && one !== null) inner.push(one as Container);
    else if (typeof one === 'string' && one.startsWith(prefix))
      container[key] = numberOf(one.slice(prefix.length));
  }
  return inner;
}

/** Replaces marked strings by numbers. Not recursive, because texts may be deeply nested. */
function unmark(value: JsonValue, mark: string): JsonValue {
  const whole = { value };
  const open: Container[] = [whole];
  for (let container = open.pop(); container !== undefined; container = open.pop())
    for (const inner of unmarkIn(container, `${MARK}${mark}`)) open.push(inner);
  return whole.value;
}

/**
 * Parses JSON text without losing 64-bit integers or the spelling of floating-point literals. The time is linear in the
 * length of the text. A reviver of JSON.parse would take some microseconds for each value.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): JsonValue {
  if (!NEEDS_SOURCE.test(text)) return JSON.parse(text);
  const mark = unusedMark(text);
  const marked = markNumbers(text, mark);
  if (marked === undefined) return JSON.parse(text);
  let value: JsonValue;
  try {
    value = JSON.parse(marked);
  } catch {
    // The message of this error refers to the original text.
    return JSON.parse(text);
  }
  return unmark(value, mark);
}

function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  // A number beyond 2^53 is a double. Without this spelling, it would be read again as a 64-bit integer.
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : floatText(value);
}

/** The text of a value, member by member. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Float) return floatText(value.value);
  if (isArray(value)) return `[${value.map(textOf).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member: JsonValue | undefined = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${textOf(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** Stands for a value that `JSON.stringify` cannot write with the same bytes. */
const UNWRITABLE = Symbol('unwritable');

type Writable = JsonValue | undefined | typeof UNWRITABLE;

/** An object has such keys in the order of their numbers, wherever they are put. An assignment to `__proto__` makes no member. */
const UNORDERABLE = /^(?:\d|__proto__$)/;

/** Whether `JSON.stringify` writes a number as {@link numberText} does. */
function isWritable(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) && !Object.is(value, -0) : true;
}

function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1)
    if ((keys[index - 1] as string) > (keys[index] as string)) return false;
  return true;
}

function sortedList(value: readonly JsonValue[]): Writable {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const one = value[index];
    const sorted = sortedKeys(one);
    if (sorted === UNWRITABLE) return UNWRITABLE;
    if (sorted === one) continue;
    copy ??= [...value];
    copy[index] = sorted as JsonValue;
  }
  return copy ?? value;
}

/** An object whose own keys are sorted already. */
function withSortedMembers(value: JsonObject, keys: readonly string[]): Writable {
  let copy: Container | undefined;
  for (const key of keys) {
    const one = value[key];
    const sorted = sortedKeys(one);
    if (sorted === one) continue;
    if (sorted === UNWRITABLE || UNORDERABLE.test(key)) return UNWRITABLE;
    copy ??= { ...value };
    copy[key] = sorted as JsonValue;
  }
  return copy ?? value;
}

function sortedObject(value: JsonObject): Writable {
  const keys = Object.keys(value);
  if (isSorted(keys)) return withSortedMembers(value, keys);
  const copy: Container = {};
  for (const key of keys.sort()) {
    const sorted = sortedKeys(value[key]);
    if (sorted === UNWRITABLE || UNORDERABLE.test(key)) return UNWRITABLE;
    copy[key] = sorted as JsonValue;
  }
  return copy;
}

/** The value with the keys of every object in code-unit order: itself if they are. */
function sortedKeys(value: JsonValue | undefined): Writable {
  if (typeof value === 'number') return isWritable(value) ? value : UNWRITABLE;
  if (typeof value === 'bigint') return UNWRITABLE;
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return sortedList(value);
  return value instanceof Float ? UNWRITABLE : sortedObject(value);
}

/**
 * Writes a value as JSON text with the keys of every object in code-unit order, so that equal values give equal
 * bytes. Members that are `undefined` are left out. Most values are written by `JSON.stringify`, which is several times as fast.
 */
export function stringifyJson(value: JsonValue | undefined): string {
  const sorted = sortedKeys(value);
  return sorted === UNWRITABLE || sorted === undefined ? textOf(value) : JSON.stringify(sorted);
}

/** True for a list. Unlike `Array.isArray`, it keeps the element type of a read-only list. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** True for a JSON object, but not for null, a list, or a {@link Float}. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Float)
  );
}

/** True for any JSON number, regardless of its representation in memory. */
export function isNumber(value: JsonValue | undefined): value is number | bigint | Float {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}

/** The own member of an object under a key, or `undefined` if the value is not an object or has no such member. */
export function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at the end of a path of member names, or `undefined` if the path ends early. */
export function at(
  value: JsonValue | undefined,
  ...path: readonly string[]
): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(member, value);
}

/** The text at the end of a path of member names, or `''` if there is none. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** A quick check whether two objects have the very same members. */
function hasSameMembers(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.is(a[key], b[key]) && Object.hasOwn(b, key))
  );
}

/** Whether two values are the same JSON. The order of keys does not matter, but the spelling of numbers does. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (a === undefined || b === undefined) return false;
  // Most comparisons end here, without a text.
  if (typeof a === 'string' || typeof a === 'boolean') return false;
  if (isArray(a) && isArray(b))
    return a.length === b.length && a.every((one, index) => equalJson(one, b[index]));
  if (isObject(a) && isObject(b) && hasSameMembers(a, b)) return true;
  return stringifyJson(a) === stringifyJson(b);
}
