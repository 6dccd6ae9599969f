/**
 * A JSON number that was written as a floating-point literal although its value is integral (`3.0`, `1e3`).
 * CEL types it `double`, where `3` is an `int`; API servers never write it, files do.
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
// A literal that JSON.parse would change: 16 or more digits, a fraction, an exponent, -0. It is looked for where a number
// can stand: digits inside strings (times, uids) are common and need nothing.
const NEEDS_SOURCE = /(?:"\s*:|[[,]|^)\s*(?:-0|-?(?:\d{16}|\d+[.eE]))/;
const INTEGER = /^-?\d+$/;

function reviveNumber(source: string, parsed: number): JsonValue {
  if (INTEGER.test(source)) {
    if (Number.isSafeInteger(parsed)) return parsed === 0 ? 0 : parsed;
    const exact = BigInt(source);
    return exact >= INT64_MIN && exact <= INT64_MAX ? exact : parsed;
  }
  return Number.isSafeInteger(parsed) ? new Float(parsed) : parsed;
}

/**
 * Parses JSON text without losing 64-bit integers or the spelling of floating-point literals.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): JsonValue {
  if (!NEEDS_SOURCE.test(text)) return JSON.parse(text);
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined
      ? reviveNumber(context.source, value)
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  // A number beyond 2^53 is a double: without its spelling it would come back as a 64-bit integer.
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : floatText(value);
}

/**
 * Writes a value as JSON text with the keys of every object in code-unit order, so that equal values give equal
 * bytes. Members that are `undefined` are left out.
 */
export function stringifyJson(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Float) return floatText(value.value);
  if (isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member: JsonValue | undefined = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${stringifyJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** True for a list; unlike `Array.isArray` it keeps the element type of a read-only list. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** True for a JSON object: neither null, a list, nor a {@link Float}. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Float)
  );
}

/** True for any JSON number, whatever stands for it in memory. */
export function isNumber(value: JsonValue | undefined): value is number | bigint | Float {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}

/** The own member of an object under a key, `undefined` where the value is no object or has no such member. */
export function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at the end of a path of member names, `undefined` where the path ends early. */
export function at(
  value: JsonValue | undefined,
  ...path: readonly string[]
): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(member, value);
}

/** The text at the end of a path of member names; `''` where there is none. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** Whether two values are the same JSON: key order does not matter, number spelling does. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return stringifyJson(a) === stringifyJson(b);
}
