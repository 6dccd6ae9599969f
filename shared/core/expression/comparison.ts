import { OVER_BUDGET, pay, spend } from './budget.ts';
import type { Budget } from './expression.ts';
import { notComparable } from './messages.ts';
import { MAX_VALUE_DEPTH, STEPS_PER_CALL } from './prices.ts';
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

const TOO_DEEP = new CelError(notComparable(MAX_VALUE_DEPTH));
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
 * The order of two numbers: two integers exactly, a double and an integer as doubles (cel-go, `compare.go`). NaN if one
 * of them is NaN, `undefined` if one of them is not a number.
 */
function compareNumbers(a: Value, b: Value): number | undefined {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === typeof right) return sign(left, right);
  return sign(Number(left), Number(right));
}

// A unit of a surrogate pair represents a code point greater than those of the units 0xE000 to 0xFFFF.
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Compares two texts by code points, which is the order of their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number); // i is within both
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The order of two values of one ordered kind, or `undefined` for any others. */
function compareOthers(a: Value, b: Value): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos, b.nanos);
  return a instanceof Bytes && b instanceof Bytes ? compareBytes(a.value, b.value) : undefined;
}

/** The number of characters or bytes that comparing two values reads at most. */
function commonLength(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return Math.min(a.length, b.length);
  return a instanceof Bytes && b instanceof Bytes ? Math.min(a.value.length, b.value.length) : 0;
}

function compare(a: Value, b: Value, budget: Budget): number | CelError {
  if (!pay(budget, 'charactersRead', commonLength(a, b))) return OVER_BUDGET;
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

/** `a < b`, or an error if the two values have no order. */
export const less = relation((order) => order < 0);
/** `a <= b`, like {@link less}. */
export const lessOrEqual = relation((order) => order <= 0);
/** `a > b`, like {@link less}. */
export const greater = relation((order) => order > 0);
/** `a >= b`, like {@link less}. */
export const greaterOrEqual = relation((order) => order >= 0);

function equalAtoms(a: Value, b: Value, budget: Budget): boolean {
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  return pay(budget, 'charactersRead', commonLength(a, b)) && compareOthers(a, b) === 0;
}

/** Compares two values part by part. Each part is paid for before it is read. */
class Equality {
  readonly #budget: Budget;
  #depth = 0;
  #tooDeep = false;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** The result of a comparison that found `equal`, or an error if the comparison was not completed. */
  result(equal: boolean): boolean | CelError {
    if (this.#budget.exceeded) return OVER_BUDGET;
    return this.#tooDeep ? TOO_DEEP : equal;
  }

  /** Whether the comparison was stopped early. */
  get ended(): boolean {
    return this.#budget.exceeded || this.#tooDeep;
  }

  /**
   * Whether two values are equal. Values of different types are not equal, except that numbers are compared across
   * types.
   */
  holds(a: Value, b: Value): boolean {
    if (!pay(this.#budget, 'elementsCompared', 1)) return false;
    if (typeof a === 'string') return this.#texts(a, b);
    if (a === b) return true;
    const order = compareNumbers(a, b);
    if (order !== undefined) return order === 0;
    if (isList(a)) return isList(b) && this.#deeper(() => this.#lists(a, b));
    if (isMap(a)) return isMap(b) && this.#deeper(() => this.#maps(a, b));
    return equalAtoms(a, b, this.#budget);
  }

  #texts(a: string, b: Value): boolean {
    if (typeof b !== 'string' || a.length !== b.length) return false;
    return pay(this.#budget, 'charactersCompared', a.length) && a === b;
  }

  #deeper(compareParts: () => boolean): boolean {
    if (this.#depth >= MAX_VALUE_DEPTH) {
      this.#tooDeep = true;
      return false;
    }
    this.#depth += 1;
    const equal = compareParts();
    this.#depth -= 1;
    return equal;
  }

  #lists(a: ListValue, b: ListValue): boolean {
    const size = listSize(a);
    if (size !== listSize(b)) return false;
    for (let i = 0; i < size; i++) if (!this.holds(listItem(a, i), listItem(b, i))) return false;
    return true;
  }

  #maps(a: MapValue, b: MapValue): boolean {
    const size = mapSize(a);
    if (size !== mapSize(b) || !pay(this.#budget, 'keysListed', size)) return false;
    return mapKeys(a).every((key) => {
      // The key comes from the map, so the map has it.
      const other = mapFind(b, key);
      return other !== undefined && this.holds(mapFind(a, key) as Value, other);
    });
  }
}

/** `a == b` (cel-spec, "Equality"). */
export function equal(a: Value, b: Value, budget: Budget): Value {
  const equality = new Equality(budget);
  return equality.result(equality.holds(a, b));
}

/** `a != b`. */
export function notEqual(a: Value, b: Value, budget: Budget): Value {
  const result = equal(a, b, budget);
  return typeof result === 'boolean' ? !result : result;
}

/** `item in range`. The range is a list or the keys of a map. */
export function isIn(item: Value, range: Value, budget: Budget): Value {
  if (isMap(range)) return payKey(item, budget) ? mapFind(range, item) !== undefined : OVER_BUDGET;
  if (!isList(range)) return NO_SUCH_OVERLOAD;
  const equality = new Equality(budget);
  const size = listSize(range);
  for (let i = 0; i < size && !equality.ended; i++)
    if (equality.holds(item, listItem(range, i))) return true;
  return equality.result(false);
}

/** Pays for looking up a key, and for the error that names a missing key. */
export function payKey(key: Value, budget: Budget): boolean {
  if (typeof key === 'number') return spend(budget, STEPS_PER_CALL.calendar);
  return typeof key !== 'string' || pay(budget, 'charactersRead', key.length);
}
