import { OVER_BUDGET, pay } from './budget.ts';
import type { Budget } from './expression.ts';
import { durationOf, timestampOf } from './time.ts';
import {
  Bytes,
  CelError,
  Duration,
  isList,
  List,
  type ListValue,
  listItems,
  listSize,
  NO_SUCH_OVERLOAD,
  Timestamp,
  Uint,
  type Value,
} from './value.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
/** cel-go. */
export const INT_OVERFLOW = new CelError('integer overflow');
/** cel-go. */
export const UINT_OVERFLOW = new CelError('unsigned integer overflow');
/** cel-go. */
export const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow');
const DIVISION_BY_ZERO = new CelError('division by zero');
const MODULUS_BY_ZERO = new CelError('modulus by zero');

/** An int, or an error if the value does not fit into 64 bits. */
export function toInt(value: bigint): Value {
  return value < INT64_MIN || value > INT64_MAX ? INT_OVERFLOW : value;
}

/** A uint, or an error if the value is negative or does not fit into 64 bits. */
export function toUint(value: bigint): Value {
  return value < 0n || value > UINT64_MAX ? UINT_OVERFLOW : new Uint(value);
}

/** A timestamp in the years 1 to 9999, or an error. */
export function toTimestamp(nanos: bigint, offsetSeconds: number): Value {
  return timestampOf(nanos, offsetSeconds) ?? TIMESTAMP_OVERFLOW;
}

/** A duration, or an error if its nanoseconds do not fit into int64. */
export function toDuration(nanos: bigint): Value {
  return durationOf(nanos) ?? INT_OVERFLOW;
}

type Operation = (a: Value, b: Value, budget: Budget) => Value;

interface Integers {
  readonly int: (a: bigint, b: bigint) => Value;
  readonly uint: (a: bigint, b: bigint) => Value;
}

function integers(operate: (a: bigint, b: bigint) => bigint): Integers {
  return { int: (a, b) => toInt(operate(a, b)), uint: (a, b) => toUint(operate(a, b)) };
}

function nonZero(operate: (a: bigint, b: bigint) => bigint, error: CelError): Integers {
  const checked = integers(operate);
  return {
    int: (a, b) => (b === 0n ? error : checked.int(a, b)),
    uint: (a, b) => (b === 0n ? error : checked.uint(a, b)),
  };
}

/** An operation on two numbers of the same type. Arithmetic never mixes types (cel-spec, "Arithmetic"). */
function numeric(
  whole: Integers,
  double: ((a: number, b: number) => number) | undefined,
  other: Operation,
): Operation {
  return (a, b, budget) => {
    if (typeof a === 'bigint' && typeof b === 'bigint') return whole.int(a, b);
    if (double && typeof a === 'number' && typeof b === 'number') return double(a, b);
    if (a instanceof Uint && b instanceof Uint) return whole.uint(a.value, b.value);
    return other(a, b, budget);
  };
}

function concatenateText(a: string, b: string, budget: Budget): Value {
  return pay(budget, 'charactersWritten', a.length + b.length) ? a + b : OVER_BUDGET;
}

function concatenateBytes(a: Bytes, b: Bytes, budget: Budget): Value {
  const length = a.value.length + b.value.length;
  if (!pay(budget, 'charactersWritten', length)) return OVER_BUDGET;
  const bytes = new Uint8Array(length);
  bytes.set(a.value);
  bytes.set(b.value, a.value.length);
  return new Bytes(bytes);
}

function concatenateLists(a: ListValue, b: ListValue, budget: Budget): Value {
  if (!pay(budget, 'elementsWritten', listSize(a) + listSize(b))) return OVER_BUDGET;
  return new List([...listItems(a), ...listItems(b)]);
}

function addTimes(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return toDuration(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) {
    return toTimestamp(a.nanos + b.nanos, a.offsetSeconds);
  }
  return a instanceof Duration && b instanceof Timestamp ? addTimes(b, a) : NO_SUCH_OVERLOAD;
}

function subtractTimes(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return toDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return toDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) {
    return toTimestamp(a.nanos - b.nanos, a.offsetSeconds);
  }
  return NO_SUCH_OVERLOAD;
}

function addOthers(a: Value, b: Value, budget: Budget): Value {
  if (typeof a === 'string' && typeof b === 'string') return concatenateText(a, b, budget);
  if (isList(a) && isList(b)) return concatenateLists(a, b, budget);
  if (a instanceof Bytes && b instanceof Bytes) return concatenateBytes(a, b, budget);
  return addTimes(a, b);
}

const unsupported: Operation = () => NO_SUCH_OVERLOAD;

/**
 * `a + b` (CEL specification, arithmetic operators). Fails on overflow and on operands of types that cannot be added.
 */
export const add = numeric(
  integers((a, b) => a + b),
  (a, b) => a + b,
  addOthers,
);
/** `a - b`, like {@link add}. */
export const subtract = numeric(
  integers((a, b) => a - b),
  (a, b) => a - b,
  subtractTimes,
);
/** `a * b`, like {@link add}. */
export const multiply = numeric(
  integers((a, b) => a * b),
  (a, b) => a * b,
  unsupported,
);
/** `a / b`, like {@link add}. Integers are truncated. Division by 0 is an error. */
export const divide = numeric(
  nonZero((a, b) => a / b, DIVISION_BY_ZERO),
  (a, b) => a / b,
  unsupported,
);
// cel-go (`moduloInt64Checked`) rejects the one pair of operands whose quotient overflows.
const remainder = nonZero(
  (a, b) => (a === INT64_MIN && b === -1n ? INT64_MAX + 1n : a % b),
  MODULUS_BY_ZERO,
);
/** `a % b` of integers, like {@link add}. Modulus by 0 is an error. */
export const modulo = numeric(remainder, undefined, unsupported);

/** `-x` for an int, a double or a duration. */
export function negate(value: Value): Value {
  if (typeof value === 'bigint') return toInt(-value);
  if (typeof value === 'number') return -value;
  return value instanceof Duration ? toDuration(-value.nanos) : NO_SUCH_OVERLOAD;
}
