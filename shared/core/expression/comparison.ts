import { OVER_BUDGET, spendComparing, spendReading } from './budget.ts';
import type { Budget } from './expression.ts';
import {
  Bytes,
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  listItem,
  listSize,
  type MapValue,
  mapFind,
  mapKeys,
  mapSize,
  NO_SUCH_OVERLOAD,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

const NOT_ORDERED = new CelError('NaN values cannot be ordered');

function sign(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : Number.NaN;
}

function numberOf(value: Value): number | bigint | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

/**
 * The order of two numbers: of two integers exactly, of a double and an integer as doubles (cel-go, `compare.go`). NaN
 * where one is NaN, `undefined` where one is no number.
 */
function compareNumbers(a: Value, b: Value): number | undefined {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === typeof right) return sign(left, right);
  return sign(Number(left), Number(right));
}

// A unit of a surrogate pair stands for a code point beyond those of the units 0xE000 to 0xFFFF.
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Compares two texts by code points, which is the order of their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** The bytes as a text whose code points are the bytes. */
function byteText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** The order of two values of one ordered kind, `undefined` for any others. */
function compareOthers(a: Value, b: Value): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos, b.nanos);
  return a instanceof Bytes && b instanceof Bytes
    ? compareText(byteText(a.value), byteText(b.value))
    : undefined;
}

function compare(a: Value, b: Value, budget: Budget): number | CelError {
  if (typeof a === 'string' && !spendReading(budget, a.length)) return OVER_BUDGET;
  const order = compareNumbers(a, b) ?? compareOthers(a, b);
  if (order === undefined) return NO_SUCH_OVERLOAD;
  return Number.isNaN(order) ? NOT_ORDERED : order;
}

type Relation = (a: Value, b: Value, budget: Budget) => Value;

function relation(holds: (order: number) => boolean): Relation {
  return (a, b, budget) => {
    const order = compare(a, b, budget);
    return typeof order === 'number' ? holds(order) : order;
  };
}

/** `a < b`; an error where the two have no order. */
export const less = relation((order) => order < 0);
/** `a <= b`, as {@link less}. */
export const lessOrEqual = relation((order) => order <= 0);
/** `a > b`, as {@link less}. */
export const greater = relation((order) => order > 0);
/** `a >= b`, as {@link less}. */
export const greaterOrEqual = relation((order) => order >= 0);

function equalAtoms(a: Value, b: Value): boolean {
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  return compareOthers(a, b) === 0;
}

function equalLists(a: ListValue, b: ListValue, budget: Budget): boolean {
  const size = listSize(a);
  if (size !== listSize(b)) return false;
  for (let i = 0; i < size; i++) {
    if (!equalValues(listItem(a, i), listItem(b, i), budget)) return false;
  }
  return true;
}

function equalMaps(a: MapValue, b: MapValue, budget: Budget): boolean {
  if (mapSize(a) !== mapSize(b)) return false;
  return mapKeys(a).every((key) => {
    // A key of the map is found in it.
    const other = mapFind(b, key);
    return other !== undefined && equalValues(mapFind(a, key) as Value, other, budget);
  });
}

/** Whether two values are equal; values of different types are not, but numbers compare across their types. */
function equalValues(a: Value, b: Value, budget: Budget): boolean {
  if (typeof a === 'string') return spendReading(budget, a.length) && a === b;
  if (a === b) return true;
  const order = compareNumbers(a, b);
  if (order !== undefined) return order === 0;
  // Values of an expression can share their parts, so that a small one takes long to walk: each part is paid for.
  if (!spendComparing(budget, 1)) return false;
  if (isList(a)) return isList(b) && equalLists(a, b, budget);
  if (isMap(a)) return isMap(b) && equalMaps(a, b, budget);
  return equalAtoms(a, b);
}

/** `a == b` (cel-spec, "Equality"). */
export function equal(a: Value, b: Value, budget: Budget): Value {
  const result = equalValues(a, b, budget);
  return budget.exceeded ? OVER_BUDGET : result;
}

/** `a != b`. */
export function notEqual(a: Value, b: Value, budget: Budget): Value {
  const result = equalValues(a, b, budget);
  return budget.exceeded ? OVER_BUDGET : !result;
}

/** `item in range`, where the range is a list or the keys of a map. */
export function isIn(item: Value, range: Value, budget: Budget): Value {
  if (isMap(range)) return mapFind(range, item) !== undefined;
  if (!isList(range)) return NO_SUCH_OVERLOAD;
  const size = listSize(range);
  if (!spendComparing(budget, size)) return OVER_BUDGET;
  for (let i = 0; i < size; i++) {
    if (equalValues(item, listItem(range, i), budget)) return true;
  }
  return budget.exceeded ? OVER_BUDGET : false;
}
