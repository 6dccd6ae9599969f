import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { OVER_BUDGET, pay, spend } from './budget.ts';
import { toStringValue } from './conversion.ts';
import type { Budget, Evaluation, ExpressionValue } from './expression.ts';
import { nestedDeeper } from './messages.ts';
import { MAX_VALUE_DEPTH, STEPS_PER_CALL } from './prices.ts';
import { durationText, timestampText } from './time.ts';
import { encodeBase64 } from './utf8.ts';
import {
  Bytes,
  CelError,
  Dictionary,
  Duration,
  isList,
  jsonKeys,
  List,
  type ListValue,
  type MapValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

/**
 * What a value counts that has only a few bytes of JSON: an integer of up to seven digits, null, a bool, and a text in addition to its
 * characters. It counts more than its bytes, because even an empty text takes as long as some of them.
 */
const SHORT = 16;
/** What any other number counts: its bytes, with a comma. */
const LONG = 25;
const SHORT_BELOW = 1e7;

/** `\u0001`: a control character, or half of a surrogate pair. */
const ESCAPED = 6;
const PLAIN = /^[ !#-[\]-~]*$/;

function unitBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x20) return ESCAPED;
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit < 0xe000 ? ESCAPED : 3;
}

/** What a text counts: the bytes of its JSON text in UTF-8, and {@link SHORT}. */
function jsonTextBytes(text: string): number {
  if (PLAIN.test(text)) return text.length + SHORT;
  let bytes = SHORT;
  for (let i = 0; i < text.length; i++) bytes += unitBytes(text.charCodeAt(i));
  return bytes;
}

/** What a value counts that is not a string, list or object. */
function jsonScalarBytes(value: unknown): number {
  if (typeof value === 'boolean' || value === null) return SHORT;
  const isShort = Number.isInteger(value) && Math.abs(value as number) < SHORT_BELOW;
  return isShort ? SHORT : LONG;
}

/** The longest text of an error, in UTF-16 units. The text may contain a key or a time zone from the data. */
const MAX_ERROR_LENGTH = 500;
/** What a list or map counts in addition to what it contains, because even an empty one takes as long as a long number. */
const BRACKETS = 25;
const TOO_DEEP = nestedDeeper('the result is', MAX_VALUE_DEPTH);

function integerToJson(value: bigint): JsonValue {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}

/** The result for a value that takes only a few bytes, or `undefined` for any other value. */
function scalarOf(value: Value): ExpressionValue | undefined {
  if (value === null) return { type: 'null' };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (typeof value === 'bigint') return { type: 'int', value };
  if (typeof value === 'number') return { type: 'double', value };
  return value instanceof Uint ? { type: 'int', value: value.value } : undefined;
}

function toJson(value: ExpressionValue): JsonValue {
  if (value.type === 'null') return null;
  if (value.type === 'int') return integerToJson(value.value);
  if (value.type !== 'double') return value.value;
  return Number.isSafeInteger(value.value) ? new Float(value.value) : value.value;
}

/**
 * Converts a value to its output, and pays for the bytes of its JSON text. A value that occurs twice is paid for twice.
 * If the budget is exceeded or a value is nested too deeply, the output must not be used.
 */
class Output {
  readonly #budget: Budget;
  #depth = 0;
  error: string | undefined;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  value(value: Value): ExpressionValue {
    const scalar = scalarOf(value);
    if (scalar) return scalar;
    const text = this.#text(value);
    if (text !== undefined) return { type: 'string', value: text };
    if (isList(value)) return { type: 'list', value: this.#deeper([], () => this.#list(value)) };
    // An error is never in a list or a map, and was handled before.
    return { type: 'map', value: this.#deeper({}, () => this.#map(value as MapValue)) };
  }

  get #ended(): boolean {
    return this.#budget.exceeded || this.error !== undefined;
  }

  #pay(bytes: number): boolean {
    pay(this.#budget, 'bytesOfJson', bytes);
    return !this.#ended;
  }

  #deeper<Made>(none: Made, make: () => Made): Made {
    if (this.#depth >= MAX_VALUE_DEPTH) this.error = TOO_DEEP;
    if (!this.#pay(BRACKETS)) return none;
    this.#depth += 1;
    const made = make();
    this.#depth -= 1;
    return made;
  }

  /** The text for a value without a JSON type, or `undefined` for a list or map. */
  #text(value: Value): string | undefined {
    if (typeof value === 'string') return this.#paidText(value);
    if (value instanceof Bytes) return this.#base64(value);
    if (value instanceof TypeValue) return this.#paidText(value.name);
    if (!(value instanceof Timestamp || value instanceof Duration)) return undefined;
    if (!spend(this.#budget, STEPS_PER_CALL.calendar)) return '';
    return value instanceof Timestamp ? timestampText(value) : durationText(value);
  }

  #base64({ value }: Bytes): string {
    const paid = this.#pay(SHORT) && pay(this.#budget, 'charactersConverted', value.length);
    return paid ? encodeBase64(value) : '';
  }

  #paidText(text: string): string {
    return this.#payText(text) ? text : '';
  }

  #payText(text: string): boolean {
    return this.#pay(text.length) && this.#pay(jsonTextBytes(text) - text.length);
  }

  #list(list: ListValue): readonly JsonValue[] {
    if (!(list instanceof List)) {
      this.#payList(list);
      return list;
    }
    const made: JsonValue[] = [];
    for (const item of list.items) {
      if (this.#ended) break;
      made.push(this.#json(item));
    }
    return made;
  }

  #map(map: MapValue): JsonObject {
    if (!(map instanceof Dictionary)) {
      this.#payObject(map);
      return map;
    }
    const members: [string, JsonValue][] = [];
    for (const [key, value] of map.entries.values()) {
      const name = String(toStringValue(key));
      if (!this.#payKey(name)) break;
      members.push([name, this.#json(value)]);
    }
    return Object.fromEntries(members);
  }

  #json(value: Value): JsonValue {
    const scalar = scalarOf(value);
    const json = toJson(scalar ?? this.value(value));
    if (scalar) this.#pay(jsonScalarBytes(json));
    return json;
  }

  #payKey(name: string): boolean {
    return pay(this.#budget, 'keysListed', 1) && this.#payText(name);
  }

  #payList(list: readonly JsonValue[]): void {
    for (const item of list) {
      if (this.#ended) return;
      this.#payJson(item);
    }
  }

  #payObject(object: JsonObject): void {
    for (const key of jsonKeys(object)) {
      if (!this.#payKey(key)) return;
      this.#payJson(object[key] ?? null);
    }
  }

  /** Pays for a part of a document. The part is returned without a copy. */
  #payJson(json: JsonValue): void {
    if (typeof json === 'string') this.#payText(json);
    else if (typeof json !== 'object' || json === null || json instanceof Float)
      this.#pay(jsonScalarBytes(json));
    else if (Array.isArray(json)) this.#deeper(undefined, () => this.#payList(json));
    else this.#deeper(undefined, () => this.#payObject(json as JsonObject));
  }
}

/** An evaluation that returned no value. A text that is too long is cut. */
export function failure(text: string): Evaluation {
  const error = text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text;
  return { ok: false, error };
}

/** The result of an evaluation for a value. Parts of a JSON document are returned without a copy. */
export function toEvaluation(value: Value, budget: Budget): Evaluation {
  if (budget.exceeded) return failure(OVER_BUDGET.text);
  if (value instanceof CelError) return failure(value.text);
  const output = new Output(budget);
  const result = output.value(value);
  if (budget.exceeded) return failure(OVER_BUDGET.text);
  return output.error === undefined ? { ok: true, value: result } : failure(output.error);
}
