import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';

/** The name of a value's type, as `type(x)` gives it. */
export type TypeName =
  | 'null_type'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'list'
  | 'map'
  | 'type'
  | 'google.protobuf.Timestamp'
  | 'google.protobuf.Duration';

/**
 * A value with a class of its own. Lists and maps of a JSON document are not boxed: they stay arrays and objects of the
 * document. Their members become values only when they are read ({@link fromJson}).
 */
export abstract class Boxed {
  abstract readonly type: TypeName | 'error';
}

/** A run-time error. It is a value, because `&&`, `||`, `all` and `exists` may absorb it. */
export class CelError extends Boxed {
  readonly type = 'error';
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
}

/** An unsigned 64-bit integer. */
export class Uint extends Boxed {
  readonly type = 'uint';
  readonly value: bigint;
  constructor(value: bigint) {
    super();
    this.value = value;
  }
}

/** A byte sequence. */
export class Bytes extends Boxed {
  readonly type = 'bytes';
  readonly value: Uint8Array;
  constructor(value: Uint8Array) {
    super();
    this.value = value;
  }
}

/** An instant with nanoseconds. It keeps the offset with which it was written, like Go's `time.Time`. */
export class Timestamp extends Boxed {
  readonly type = 'google.protobuf.Timestamp';
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  readonly nanos: bigint;
  readonly offsetSeconds: number;
  constructor(nanos: bigint, offsetSeconds: number) {
    super();
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

/** A span of time in nanoseconds, within int64. */
export class Duration extends Boxed {
  readonly type = 'google.protobuf.Duration';
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }
}

/** A type as a value: the result of `type(x)`, and the value of `int`, `string`, ... */
export class TypeValue extends Boxed {
  readonly type = 'type';
  readonly name: TypeName;
  constructor(name: TypeName) {
    super();
    this.name = name;
  }
}

/** A list that an expression made. */
export class List extends Boxed {
  readonly type = 'list';
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }
}

/** The identity of a key of a {@link Dictionary}: `1` and `1u` are the same key. */
type KeyIdentity = string | bigint | boolean | undefined;

/** A map that an expression made. */
export class Dictionary extends Boxed {
  readonly type = 'map';
  readonly entries: ReadonlyMap<KeyIdentity, readonly [key: Value, value: Value]>;
  constructor(entries: ReadonlyMap<KeyIdentity, readonly [Value, Value]>) {
    super();
    this.entries = entries;
  }
}

/** Any CEL value. A `bigint` is an int, a `number` a double; an array or a plain object is part of a JSON document. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Bytes
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | ListValue
  | MapValue
  | CelError;
/** A list: of a JSON document, or made by an expression. */
export type ListValue = readonly JsonValue[] | List;
/** A map: of a JSON document, or made by an expression. */
export type MapValue = JsonObject | Dictionary;

/** cel-go's error if no function accepts the values. */
export const NO_SUCH_OVERLOAD = new CelError('no such overload');

/** The value of a member of a JSON document. An integer is an int, any other number is a double. */
export function fromJson(json: JsonValue): Value {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  return json instanceof Float ? json.value : json;
}

/** The value of a condition: a boolean, or an error. */
export function toCondition(value: Value): boolean | CelError {
  if (typeof value === 'boolean') return value;
  return value instanceof CelError ? value : NO_SUCH_OVERLOAD;
}

/** True for a list, of a document or made by an expression. */
export function isList(value: Value): value is ListValue {
  return value instanceof List || Array.isArray(value);
}

/** True for a map, of a document or made by an expression. */
export function isMap(value: Value): value is MapValue {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Boxed ? value instanceof Dictionary : !Array.isArray(value);
}

/** The type of a value; `error` for an error. */
export function typeOf(value: Value): TypeName | 'error' {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      if (value === null) return 'null_type';
      if (value instanceof Boxed) return value.type;
      return Array.isArray(value) ? 'list' : 'map';
  }
}

/** How many elements a list has. */
export function listSize(list: ListValue): number {
  return list instanceof List ? list.items.length : list.length;
}

/** The element of a list at an index that is within it. */
export function listItem(list: ListValue, index: number): Value {
  if (list instanceof List) return list.items[index] ?? null;
  return fromJson(list[index] ?? null);
}

/** The elements of a list. For a list of a document, this is a new array. */
export function listItems(list: ListValue): readonly Value[] {
  return list instanceof List ? list.items : list.map(fromJson);
}

/** Up to this number of keys, listing them is as fast as remembering them. */
const FEW_KEYS = 64;
/** The keys of large objects of documents, because the engine sorts them each time it lists them. */
const keysOfLarge = new WeakMap<JsonObject, readonly string[]>();

/**
 * The keys of an object of a document in the order in which they were written. If there are many, they are listed only
 * once.
 */
export function jsonKeys(object: JsonObject): readonly string[] {
  const cached = keysOfLarge.get(object);
  if (cached) return cached;
  const keys = Object.keys(object);
  if (keys.length > FEW_KEYS) keysOfLarge.set(object, keys);
  return keys;
}

/** How many entries a map has. */
export function mapSize(map: MapValue): number {
  return map instanceof Dictionary ? map.entries.size : jsonKeys(map).length;
}

/** The keys of a map in the order in which they were written. */
export function mapKeys(map: MapValue): readonly Value[] {
  if (map instanceof Dictionary) return Array.from(map.entries.values(), ([key]) => key);
  return jsonKeys(map);
}

/**
 * The identity of a value as a key of a map, or `undefined` if the value cannot be a key (cel-go, `refValMap.Find`).
 */
export function keyIdentity(key: Value): KeyIdentity {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (key instanceof Uint) return key.value;
  return Number.isInteger(key) ? BigInt(key as number) : undefined; // isInteger: it is a number
}

/** The value of a key, or `undefined` if the map does not have the key. Only own members of a JSON object count. */
export function mapFind(map: MapValue, key: Value): Value | undefined {
  if (map instanceof Dictionary) {
    return map.entries.get(keyIdentity(key))?.[1];
  }
  if (typeof key !== 'string' || !Object.hasOwn(map, key)) return undefined;
  return fromJson(map[key] ?? null);
}
