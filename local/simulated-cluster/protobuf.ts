import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { at, isObject, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import kinds from './protobuf-kinds.json' with { type: 'json' };
import { entityTooLarge } from './status-error.ts';

/**
 * A field of a message: its name in JSON, its type, and 1 if a zero is written in JSON. `[]` before a type means a list,
 * `{}` a map. If the name is empty, the fields of the field's message belong to the message itself.
 */
type Field = readonly [name: string, type: string, keepsZero?: number];
type Fields = Readonly<Record<string, Field>>;

const TIME: Fields = { 1: ['seconds', 'int', 1], 2: ['nanos', 'int', 1] };
/** What a body begins with. */
const MAGIC = Buffer.from('k8s\0');

/** The messages around objects, and those that JSON writes in another form. */
const OTHERS: Readonly<Record<string, Fields>> = {
  Unknown: { 1: ['type', 'TypeMeta'], 2: ['raw', 'bytes'] },
  TypeMeta: { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] },
  Time: TIME,
  MicroTime: TIME,
  Quantity: { 1: ['value', 'string', 1] },
  IntOrString: { 1: ['type', 'int'], 2: ['number', 'int', 1], 3: ['text', 'string', 1] },
  RawExtension: { 1: ['json', 'string'] },
  FieldsV1: { 1: ['json', 'string'] },
};

const NO_FIELDS: Fields = {};
// The generator writes each field in this form.
const MESSAGES = { ...OTHERS, ...(kinds as unknown as Readonly<Record<string, Fields>>) };

function timeOf({ seconds, nanos = 0 }: JsonObject, digits: number): JsonValue {
  // A time that is not set is an empty message.
  if (seconds === undefined) return null;
  const [whole = ''] = new Date(Number(seconds) * 1000).toISOString().split('.');
  const fraction = digits === 0 ? '' : `.${String(nanos).padStart(9, '0').slice(0, digits)}`;
  return `${whole}${fraction}Z`;
}

function rawJson({ json }: JsonObject): JsonValue {
  return typeof json === 'string' ? parseJson(json) : null;
}

/** The values in JSON of the messages that are not objects there. */
const FORMS: Readonly<Record<string, (message: JsonObject) => JsonValue>> = {
  Time: (time) => timeOf(time, 0),
  MicroTime: (time) => timeOf(time, 6),
  Quantity: ({ value = '0' }) => value,
  IntOrString: ({ type, number = 0, text = '' }) => (type === 1 ? text : number),
  RawExtension: rawJson,
  FieldsV1: rawJson,
};

/**
 * A field may have two bytes, and its value may need hundreds. With this limit, a body becomes at most some 70 MB of
 * values. No text is longer than its bytes, so texts need no limit of their own.
 */
const MAX_FIELDS = 200_000;

/** Counts the fields of a body, before their values are made. */
class FieldBudget {
  #left = MAX_FIELDS;

  /** @throws StatusError 413 if the body has too many fields */
  take(fields: number): void {
    this.#left -= fields;
    if (this.#left < 0) throw entityTooLarge(`${MAX_FIELDS} fields in protocol buffers`);
  }
}

/** Makes a value once for each key. The keys are types and messages of the tables above, never what a client sends. */
function once<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

type Read = (reader: BinaryReader, budget: FieldBudget) => JsonValue;

function integer(reader: BinaryReader): JsonValue {
  const value = BigInt(reader.int64());
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const SCALARS: Readonly<Record<string, readonly [WireType, Read, zero: JsonValue]>> = {
  int: [WireType.Varint, integer, 0],
  bool: [WireType.Varint, (reader) => reader.bool(), false],
  string: [WireType.LengthDelimited, (reader) => reader.string(true), ''],
  bytes: [WireType.LengthDelimited, (reader) => Buffer.from(reader.bytes()).toString('base64'), ''],
};

const entryFields = once(
  (type: string): Fields => ({ 1: ['key', 'string', 1], 2: ['value', type, 1] }),
);

/** An entry of a map. As proto3 defines, a missing key is '', and a missing value is the zero of its type. */
function entry(type: string, bytes: Uint8Array, budget: FieldBudget): JsonValue {
  const { key = '', value } = decoded(entryFields(type), bytes, budget);
  const zero = (): JsonValue => SCALARS[type]?.[2] ?? message(type, new Uint8Array(), budget);
  return { key, value: value ?? zero() };
}

/** How one element of a type is read: a map and a list have one for each entry. */
const readerOf = once((type: string): readonly [WireType, Read, zero?: JsonValue] => {
  const one = type.replace(/^\[\]/, '');
  const scalar = SCALARS[one];
  if (scalar !== undefined) return scalar;
  const read: Read = one.startsWith('{}')
    ? (reader, budget) => entry(one.slice(2), reader.bytes(), budget)
    : (reader, budget) => message(one, reader.bytes(), budget);
  return [WireType.LengthDelimited, read];
});

function isZero(value: JsonValue): boolean {
  return value === 0 || value === false || value === '';
}

type Member = readonly [name: string, value: JsonValue];

function members([name, type, keepsZero]: Field, values: readonly JsonValue[]): readonly Member[] {
  if (type.startsWith('[]')) return [[name, values]];
  if (type.startsWith('{}')) {
    const entries = values.map(
      (one) => [String(at(one, 'key')), at(one, 'value') ?? null] as const,
    );
    return [[name, Object.fromEntries(entries)]];
  }
  const value = values.at(-1) ?? null;
  if (name === '' && isObject(value)) return Object.entries(value);
  const means = value !== null && (keepsZero !== undefined || !isZero(value));
  return means ? [[name, value]] : [];
}

/** The lists that JSON has even if they are missing: as null. */
const nullLists = once((fields: Fields): { readonly count: number; readonly lists: JsonObject } => {
  const always = Object.values(fields).filter(([, type, keeps]) => keeps && type.startsWith('[]'));
  return { count: always.length, lists: Object.fromEntries(always.map(([name]) => [name, null])) };
});

function decoded(fields: Fields, bytes: Uint8Array, budget: FieldBudget): JsonObject {
  const reader = new BinaryReader(bytes);
  const found = new Map<Field, JsonValue[]>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = fields[number];
    if (field === undefined) {
      reader.skip(wireType, number);
      continue;
    }
    const [expected, read] = readerOf(field[1]);
    if (wireType !== expected) throw new RangeError(`field ${number} has wire type ${wireType}`);
    budget.take(1);
    const value = read(reader, budget);
    const values = found.get(field);
    if (values === undefined) found.set(field, [value]);
    else values.push(value);
  }
  const known = [...found].flatMap(([field, values]) => members(field, values));
  const { count, lists } = nullLists(fields);
  budget.take(count);
  return { ...lists, ...Object.fromEntries(known) };
}

function message(name: string, bytes: Uint8Array, budget: FieldBudget): JsonValue {
  const object = decoded(MESSAGES[name] ?? NO_FIELDS, bytes, budget);
  const form = FORMS[name];
  return form === undefined ? object : form(object);
}

/** The message of a kind: `core/v1.Pod`, `rbac/v1.Role`. Every group has DeleteOptions. */
function messageName(apiVersion: string, kind: string): string {
  if (kind === 'DeleteOptions') return `meta/v1.${kind}`;
  const [first = '', version] = apiVersion.split('/');
  const [group] = first.split('.');
  return version === undefined ? `core/${first}.${kind}` : `${group}/${version}.${kind}`;
}

/**
 * Decodes a body in protocol buffers, as Kubernetes' clients in Go write it: the bytes `k8s\0`, then a `runtime.Unknown`
 * with the kind and the message of the object (k8s.io/apimachinery, serializer/protobuf). Like the JSON of a client in
 * Go, the result lacks a field with a zero that means nothing. Unknown fields are left out.
 *
 * @returns the object as JSON, or `undefined` if its kind is not known here
 * @throws RangeError, Error if the bytes are malformed; StatusError 413 if they have too many fields
 */
export function decodeProtobuf(body: Buffer): JsonObject | undefined {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw new RangeError('the body does not begin with the bytes k8s\\0');
  const budget = new FieldBudget();
  const around = body.subarray(MAGIC.length);
  const { type = {}, raw = '' } = decoded(MESSAGES['Unknown'] ?? NO_FIELDS, around, budget);
  const { apiVersion = '', kind = '' } = isObject(type) ? type : {};
  const fields = MESSAGES[messageName(String(apiVersion), String(kind))];
  if (fields === undefined) return undefined;
  return { apiVersion, kind, ...decoded(fields, Buffer.from(String(raw), 'base64'), budget) };
}
