import { add, divide, modulo, multiply, negate, subtract } from './arithmetic.ts';
import { OVER_BUDGET, pay, spend } from './budget.ts';
import {
  equal,
  greater,
  greaterOrEqual,
  isIn,
  less,
  lessOrEqual,
  notEqual,
  payKey,
} from './comparison.ts';
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
import { unsupportedIndexType } from './messages.ts';
import { STEPS_PER_CALL, type UNITS_PER_STEP } from './prices.ts';
import { matches } from './regex.ts';
import { containsText } from './text-search.ts';
import { type CalendarTime, calendar } from './time.ts';
import { isNamedZone, zoneOffset } from './time-zone.ts';
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

/** A function of one value. Its cost is taken from the budget. */
export type Unary = (value: Value, budget: Budget) => Value;
/** A function of two values, like {@link Unary}. */
export type Binary = (a: Value, b: Value, budget: Budget) => Value;

const NANOS_PER_MILLISECOND = 1_000_000n;

/** The error of reading a missing key of a map. */
export function noSuchKey(key: Value): CelError {
  return new CelError(`no such key: ${String(toStringValue(key))}`);
}

function codePoints(text: string, budget: Budget): Value {
  if (!pay(budget, 'charactersRead', text.length)) return OVER_BUDGET;
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    // A high surrogate and the low surrogate after it are one code point.
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00)
      count -= 1;
  }
  return BigInt(count);
}

function size(value: Value, budget: Budget): Value {
  if (typeof value === 'string') return codePoints(value, budget);
  if (isList(value)) return BigInt(listSize(value));
  if (isMap(value)) {
    const entries = mapSize(value);
    return pay(budget, 'keysListed', entries) ? BigInt(entries) : OVER_BUDGET;
  }
  return value instanceof Bytes ? BigInt(value.value.length) : NO_SUCH_OVERLOAD;
}

/**
 * The kind of work that converting the characters of a text to a type takes. Converting a string to a string takes
 * none.
 */
const TEXT_WORK: ReadonlyMap<string, keyof typeof UNITS_PER_STEP> = new Map([
  ['bool', 'charactersRead'],
  ['int', 'charactersRead'],
  ['uint', 'charactersRead'],
  ['bytes', 'charactersConverted'],
  ['double', 'charactersConverted'],
  ['duration', 'charactersOfTimes'],
  ['timestamp', 'charactersOfTimes'],
]);

function payConversion(name: string, value: Value, budget: Budget): boolean {
  if (typeof value === 'string') {
    const work = TEXT_WORK.get(name);
    return work === undefined || pay(budget, work, value.length);
  }
  if (name !== 'string') return true;
  if (value instanceof Bytes) return pay(budget, 'charactersConverted', value.value.length);
  const isPlain = typeof value === 'bigint' || typeof value === 'boolean';
  return isPlain || spend(budget, STEPS_PER_CALL.calendar);
}

/** A conversion. Its error names the overload that cel-go lacks. */
function conversion(name: string, convert: (value: Value) => Value): readonly [string, Unary] {
  return [
    name,
    (value, budget) => {
      if (!payConversion(name, value, budget)) return OVER_BUDGET;
      const result = convert(value);
      if (result !== NO_SUCH_OVERLOAD) return result;
      return new CelError(`no such overload: ${name}(${typeOf(value)})`);
    },
  ];
}

function typeOfValue(value: Value): Value {
  // A function is never called with an error.
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
    return new CelError(unsupportedIndexType(typeOf(index)));
  }
  return Number.isSafeInteger(index)
    ? BigInt(index)
    : new CelError(`unsupported index value ${index} in list`);
}

function index(value: Value, key: Value, budget: Budget): Value {
  if (!payKey(key, budget)) return OVER_BUDGET;
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

function contains(a: Value, b: Value, budget: Budget): Value {
  if (typeof a !== 'string' || typeof b !== 'string') return NO_SUCH_OVERLOAD;
  return pay(budget, 'charactersSearched', a.length + b.length) ? containsText(a, b) : OVER_BUDGET;
}

function endTest(test: (text: string, part: string) => boolean): Binary {
  return (a, b, budget) => {
    if (typeof a !== 'string' || typeof b !== 'string') return NO_SUCH_OVERLOAD;
    return pay(budget, 'charactersRead', b.length) ? test(a, b) : OVER_BUDGET;
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

/** The nanoseconds of the unit in which a duration is counted. The whole duration is counted, not a remainder. */
const DURATION_UNITS: ReadonlyMap<string, bigint> = new Map([
  ['getHours', 3_600_000n * NANOS_PER_MILLISECOND],
  ['getMinutes', 60_000n * NANOS_PER_MILLISECOND],
  ['getSeconds', 1_000n * NANOS_PER_MILLISECOND],
  ['getMilliseconds', NANOS_PER_MILLISECOND],
]);

function timeField(name: string, field: Field): Unary {
  const unit = DURATION_UNITS.get(name);
  return (value, budget) => {
    if (!spend(budget, STEPS_PER_CALL.calendar)) return OVER_BUDGET;
    if (value instanceof Timestamp) return BigInt(field(calendar(value, value.offsetSeconds)));
    return unit && value instanceof Duration ? value.nanos / unit : NO_SUCH_OVERLOAD;
  };
}

function zonedField(field: Field): Binary {
  return (value, zone, budget) => {
    if (!(value instanceof Timestamp) || typeof zone !== 'string') return NO_SUCH_OVERLOAD;
    if (!spend(budget, isNamedZone(zone) ? STEPS_PER_CALL.zone : STEPS_PER_CALL.calendar))
      return OVER_BUDGET;
    const offset = zoneOffset(zone, value);
    return offset instanceof CelError ? offset : BigInt(field(calendar(value, offset)));
  };
}

/** The functions of one argument by their names in cel-go. The target of a member call is the argument. */
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

/** The functions of two arguments by their names in cel-go. The target of a member call is the first argument. */
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
  ['contains', contains],
  ['endsWith', endTest((text, part) => text.endsWith(part))],
  ['startsWith', endTest((text, part) => text.startsWith(part))],
  ['matches', matches],
  ...Array.from(FIELDS, ([name, field]) => [name, zonedField(field)] as const),
]);
