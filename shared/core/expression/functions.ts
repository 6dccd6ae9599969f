import { add, divide, modulo, multiply, negate, subtract } from './arithmetic.ts';
import { OVER_BUDGET, spendReading } from './budget.ts';
import { equal, greater, greaterOrEqual, isIn, less, lessOrEqual, notEqual } from './comparison.ts';
import {
  toBoolValue,
  toBytesValue,
  toDoubleValue,
  toDurationValue,
  toIntValue,
  toStringValue,
  toTimestampValue,
  toUintValue,
} from './conversion.ts';
import type { Budget } from './expression.ts';
import { matches } from './regex.ts';
import { type CalendarTime, calendar } from './time.ts';
import { zoneOffset } from './time-zone.ts';
import {
  Bytes,
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  listItem,
  listSize,
  mapFind,
  mapSize,
  NO_SUCH_OVERLOAD,
  Timestamp,
  type TypeName,
  TypeValue,
  typeOf,
  Uint,
  type Value,
} from './value.ts';

/** A function of one value; what it costs is taken from the budget. */
export type Unary = (value: Value, budget: Budget) => Value;
/** A function of two values, as {@link Unary}. */
export type Binary = (a: Value, b: Value, budget: Budget) => Value;

const NANOS_PER_MILLISECOND = 1_000_000n;

/** The error of reading a key that a map does not have. */
export function noSuchKey(key: Value): CelError {
  return new CelError(`no such key: ${String(toStringValue(key))}`);
}

function codePoints(text: string, budget: Budget): Value {
  if (!spendReading(budget, text.length)) return OVER_BUDGET;
  let count = 0n;
  for (const _ of text) count += 1n;
  return count;
}

function size(value: Value, budget: Budget): Value {
  if (typeof value === 'string') return codePoints(value, budget);
  if (isList(value)) return BigInt(listSize(value));
  if (isMap(value)) return BigInt(mapSize(value));
  return value instanceof Bytes ? BigInt(value.value.length) : NO_SUCH_OVERLOAD;
}

/** A conversion, whose error says which one cel-go's overloads lack. */
function conversion(name: string, convert: Unary): readonly [string, Unary] {
  return [
    name,
    (value, budget) => {
      const result = convert(value, budget);
      if (result !== NO_SUCH_OVERLOAD) return result;
      return new CelError(`no such overload: ${name}(${typeOf(value)})`);
    },
  ];
}

function typeOfValue(value: Value): Value {
  // An error is no argument of a function.
  return new TypeValue(typeOf(value) as TypeName);
}

function not(value: Value): Value {
  return typeof value === 'boolean' ? !value : NO_SUCH_OVERLOAD;
}

const KEY_TYPES: ReadonlySet<string> = new Set(['string', 'int', 'uint', 'double', 'bool']);

function listIndex(index: Value): bigint | CelError {
  if (typeof index === 'bigint') return index;
  if (index instanceof Uint) return index.value;
  if (typeof index !== 'number') {
    return new CelError(`unsupported index type '${typeOf(index)}' in list`);
  }
  return Number.isSafeInteger(index)
    ? BigInt(index)
    : new CelError(`unsupported index value ${index} in list`);
}

function index(value: Value, key: Value): Value {
  if (!KEY_TYPES.has(typeOf(key))) return new CelError(`invalid qualifier type: ${typeOf(key)}`);
  const found = isMap(value) ? mapFind(value, key) : undefined;
  if (found !== undefined) return found;
  return isList(value) ? listElement(value, key) : noSuchKey(key);
}

function listElement(list: ListValue, key: Value): Value {
  const at = listIndex(key);
  if (at instanceof CelError) return at;
  if (at < 0n || at >= listSize(list)) return new CelError(`index out of bounds: ${at}`);
  return listItem(list, Number(at));
}

function textTest(test: (text: string, part: string) => boolean): Binary {
  return (a, b, budget) => {
    if (typeof a !== 'string' || typeof b !== 'string') return NO_SUCH_OVERLOAD;
    return spendReading(budget, a.length + b.length) ? test(a, b) : OVER_BUDGET;
  };
}

type Field = (time: CalendarTime) => number;

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['getFullYear', (t) => t.year],
  ['getMonth', (t) => t.month - 1],
  ['getDayOfYear', (t) => t.dayOfYear - 1],
  ['getDayOfMonth', (t) => t.day - 1],
  ['getDate', (t) => t.day],
  ['getDayOfWeek', (t) => t.weekday],
  ['getHours', (t) => t.hour],
  ['getMinutes', (t) => t.minute],
  ['getSeconds', (t) => t.second],
  ['getMilliseconds', (t) => Math.floor(t.nanosecond / 1_000_000)],
]);

/** The nanoseconds of what a duration is counted in; all of it, not what is left over. */
const DURATION_UNITS: ReadonlyMap<string, bigint> = new Map([
  ['getHours', 3_600_000n * NANOS_PER_MILLISECOND],
  ['getMinutes', 60_000n * NANOS_PER_MILLISECOND],
  ['getSeconds', 1_000n * NANOS_PER_MILLISECOND],
  ['getMilliseconds', NANOS_PER_MILLISECOND],
]);

function timeField(name: string, field: Field): Unary {
  const unit = DURATION_UNITS.get(name);
  return (value) => {
    if (value instanceof Timestamp) return BigInt(field(calendar(value, value.offsetSeconds)));
    return unit && value instanceof Duration ? value.nanos / unit : NO_SUCH_OVERLOAD;
  };
}

function zonedField(field: Field): Binary {
  return (value, zone) => {
    if (!(value instanceof Timestamp) || typeof zone !== 'string') return NO_SUCH_OVERLOAD;
    const offset = zoneOffset(zone, value);
    return offset instanceof CelError ? offset : BigInt(field(calendar(value, offset)));
  };
}

/** The functions of one argument, by their names in cel-go; the target of a member call is the argument. */
export const UNARY: ReadonlyMap<string, Unary> = new Map<string, Unary>([
  ['!_', not],
  ['-_', negate],
  ['size', size],
  ['type', typeOfValue],
  ['dyn', (value) => value],
  conversion('bool', toBoolValue),
  conversion('bytes', toBytesValue),
  conversion('double', toDoubleValue),
  conversion('duration', toDurationValue),
  conversion('int', toIntValue),
  conversion('string', toStringValue),
  conversion('timestamp', toTimestampValue),
  conversion('uint', toUintValue),
  ...Array.from(FIELDS, ([name, field]) => [name, timeField(name, field)] as const),
]);

/** The functions of two arguments, by their names in cel-go; the target of a member call is the first argument. */
export const BINARY: ReadonlyMap<string, Binary> = new Map<string, Binary>([
  ['_==_', equal],
  ['_!=_', notEqual],
  ['_<_', less],
  ['_<=_', lessOrEqual],
  ['_>_', greater],
  ['_>=_', greaterOrEqual],
  ['_+_', add],
  ['_-_', subtract],
  ['_*_', multiply],
  ['_/_', divide],
  ['_%_', modulo],
  ['_[_]', index],
  ['@in', isIn],
  ['contains', textTest((text, part) => text.includes(part))],
  ['endsWith', textTest((text, part) => text.endsWith(part))],
  ['startsWith', textTest((text, part) => text.startsWith(part))],
  ['matches', matches],
  ...Array.from(FIELDS, ([name, field]) => [name, zonedField(field)] as const),
]);
