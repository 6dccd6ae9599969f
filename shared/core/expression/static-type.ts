import { typeOf, type Value } from './value.ts';

type Simple =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'int'
  | 'null'
  | 'number'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint';

/** The type of a JSON object with a schema. Its fields may refer back to it. */
export interface ObjectType {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, StaticType>;
  /** Whether it may have other fields, whose types are not known. */
  readonly open: boolean;
  /** Its path in `obj`: `spec.template`, `spec.ports[]` for an element, `''` for `obj` itself. */
  readonly path: string;
}

/** A static type. The types of types are all the same. `number` is a JSON number: an int or a double. */
export type StaticType =
  | { readonly kind: Simple }
  | ObjectType
  | { readonly kind: 'list'; readonly element: StaticType }
  | { readonly kind: 'map'; readonly key: StaticType; readonly value: StaticType };

/** CEL's simple types. */
export const BOOL: StaticType = { kind: 'bool' };
export const BYTES: StaticType = { kind: 'bytes' };
export const DOUBLE: StaticType = { kind: 'double' };
export const DURATION: StaticType = { kind: 'duration' };
export const DYN: StaticType = { kind: 'dyn' };
export const INT: StaticType = { kind: 'int' };
export const NULL: StaticType = { kind: 'null' };
export const NUMBER: StaticType = { kind: 'number' };
export const STRING: StaticType = { kind: 'string' };
export const TIMESTAMP: StaticType = { kind: 'timestamp' };
export const TYPE: StaticType = { kind: 'type' };
export const UINT: StaticType = { kind: 'uint' };

/** The type of lists with elements of a type. */
export function listOf(element: StaticType): StaticType {
  return { kind: 'list', element };
}

/** The type of maps with keys and values of two types. */
export function mapOf(key: StaticType, value: StaticType): StaticType {
  return { kind: 'map', key, value };
}

/** The type of objects with these fields. */
export function objectOf(fields: ReadonlyMap<string, StaticType>, open = false): ObjectType {
  return { kind: 'object', fields, open, path: '' };
}

/** The type of an object if its schema is ignored. */
const ANY_OBJECT = mapOf(STRING, DYN);

/** A type in CEL's spelling: `int`, `list(string)`, `map(string, dyn)`. */
export function formatType(type: StaticType): string {
  if (type.kind === 'object') return formatType(ANY_OBJECT);
  if (type.kind === 'list') return `list(${formatType(type.element)})`;
  if (type.kind === 'map') return `map(${formatType(type.key)}, ${formatType(type.value)})`;
  return type.kind;
}

/** Whether two types are the same. */
export function sameType(a: StaticType, b: StaticType): boolean {
  return formatType(a) === formatType(b);
}

function isNullable(type: StaticType): boolean {
  return type.kind === 'null' || type.kind === 'timestamp' || type.kind === 'duration';
}

function isNumber({ kind }: StaticType): boolean {
  return kind === 'int' || kind === 'uint' || kind === 'double';
}

function joinSimple(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind === b.kind) return a;
  if (a.kind === 'null') return isNullable(b) ? b : undefined;
  if (a.kind === 'number') return isNumber(b) ? a : undefined;
  return undefined;
}

function joinObjects(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind === 'object' && b.kind === 'object' && a.fields === b.fields) return a;
  return joinTypes(a.kind === 'object' ? ANY_OBJECT : a, b.kind === 'object' ? ANY_OBJECT : b);
}

function joinLists(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind !== 'list' || b.kind !== 'list') return undefined;
  const element = joinTypes(a.element, b.element);
  return element && listOf(element);
}

function joinMaps(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind !== 'map' || b.kind !== 'map') return undefined;
  const key = joinTypes(a.key, b.key);
  const value = joinTypes(a.value, b.value);
  return key && value && mapOf(key, value);
}

/**
 * The type that values of both types have, or `undefined` if there is none. dyn is compatible with every type, and null
 * with timestamps and durations (cel-go, `internalIsAssignable`). Objects of different schemas are maps. A JSON number
 * may be an int or a double.
 */
export function joinTypes(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind === 'dyn' || b.kind === 'dyn') return DYN;
  if (a.kind === 'object' || b.kind === 'object') return joinObjects(a, b);
  if (a.kind === 'list') return joinLists(a, b);
  if (a.kind === 'map') return joinMaps(a, b);
  return joinSimple(a, b) ?? joinSimple(b, a);
}

const LITERAL_TYPES = {
  null_type: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  type: TYPE,
} as const;

/** The type of a literal. */
export function typeOfLiteral(value: Value): StaticType {
  // The parser only makes literals of these types.
  return LITERAL_TYPES[typeOf(value) as keyof typeof LITERAL_TYPES];
}
