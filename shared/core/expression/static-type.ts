import { typeOf, type Value } from './value.ts';

type Simple =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'int'
  | 'null'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A static type. The types of types are not told apart. */
export type StaticType =
  | { readonly kind: Simple }
  | { readonly kind: 'list'; readonly element: StaticType }
  | { readonly kind: 'map'; readonly key: StaticType; readonly value: StaticType };

export const BOOL: StaticType = { kind: 'bool' };
export const BYTES: StaticType = { kind: 'bytes' };
export const DOUBLE: StaticType = { kind: 'double' };
export const DURATION: StaticType = { kind: 'duration' };
export const DYN: StaticType = { kind: 'dyn' };
export const INT: StaticType = { kind: 'int' };
export const NULL: StaticType = { kind: 'null' };
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

/** A type in CEL's spelling: `int`, `list(string)`, `map(string, dyn)`. */
export function formatType(type: StaticType): string {
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

function joinSimple(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind === b.kind) return a;
  if (a.kind === 'null') return isNullable(b) ? b : undefined;
  return b.kind === 'null' && isNullable(a) ? a : undefined;
}

/**
 * The type that values of both types have, `undefined` where there is none. dyn goes with every type, null with
 * timestamps and durations (cel-go, `internalIsAssignable`).
 */
export function joinTypes(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind === 'dyn' || b.kind === 'dyn') return DYN;
  if (a.kind === 'list') {
    const element = b.kind === 'list' ? joinTypes(a.element, b.element) : undefined;
    return element && listOf(element);
  }
  if (a.kind !== 'map') return joinSimple(a, b);
  if (b.kind !== 'map') return undefined;
  const key = joinTypes(a.key, b.key);
  const value = joinTypes(a.value, b.value);
  return key && value && mapOf(key, value);
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
  // The parser makes literals of these types only.
  return LITERAL_TYPES[typeOf(value) as keyof typeof LITERAL_TYPES];
}
