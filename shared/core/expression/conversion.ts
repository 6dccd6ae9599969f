import { INT_OVERFLOW, TIMESTAMP_OVERFLOW, toInt, toUint, UINT_OVERFLOW } from './arithmetic.ts';
import { INT_AS_DURATION, INVALID_UTF8, unreadableString } from './messages.ts';
import { formatDouble } from './number-format.ts';
import {
  durationText,
  parseDuration,
  parseTimestamp,
  timestampOfSeconds,
  timestampText,
  unixSeconds,
} from './time.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';
import {
  Bytes,
  CelError,
  Duration,
  NO_SUCH_OVERLOAD,
  Timestamp,
  type TypeName,
  Uint,
  type Value,
} from './value.ts';

function unreadable(type: TypeName): CelError {
  return new CelError(unreadableString(type));
}

/** The number of digits of the largest 64-bit integer. */
const MAX_DIGITS = 20;
const INTEGER = /^[+-]?\d+$/;
const NATURAL = /^\d+$/;
const LEADING_ZEROS = /^[+-]?0*/;

function parseInteger(text: string, pattern: RegExp, make: (value: bigint) => Value): Value {
  if (!pattern.test(text)) return NO_SUCH_OVERLOAD;
  const digits = text.slice(LEADING_ZEROS.exec(text)?.[0].length);
  if (digits.length > MAX_DIGITS) return NO_SUCH_OVERLOAD;
  const value = BigInt(digits);
  return make(text.startsWith('-') ? -value : value);
}

function parseInt64(text: string): Value {
  const value = parseInteger(text, INTEGER, toInt);
  return value instanceof CelError ? unreadable('int') : value;
}

function parseUint64(text: string): Value {
  const value = parseInteger(text, NATURAL, toUint);
  return value instanceof CelError ? unreadable('uint') : value;
}

const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const SPECIAL = /^([+-]?)(?:inf(?:inity)?|(nan))$/i;

function parseDouble(text: string): Value {
  const special = SPECIAL.exec(text);
  if (special) {
    if (special[2] === undefined) return special[1] === '-' ? -Infinity : Infinity;
    return special[1] === '' ? Number.NaN : unreadable('double');
  }
  const value = DECIMAL.test(text) ? Number(text.replaceAll('_', '')) : Infinity;
  return Number.isFinite(value) ? value : unreadable('double');
}

function doubleToInt(value: number): Value {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : INT_OVERFLOW;
}

function doubleToUint(value: number): Value {
  return value >= 0 && value < 2 ** 64 ? new Uint(BigInt(Math.trunc(value))) : UINT_OVERFLOW;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/** `bool(x)`. */
export function toBoolValue(value: Value): Value {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return NO_SUCH_OVERLOAD;
  return BOOLEANS.get(value) ?? unreadable('bool');
}

/** `int(x)`: the seconds of a timestamp, the nanoseconds of a duration. */
export function toIntValue(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return doubleToInt(value);
  if (typeof value === 'string') return parseInt64(value);
  if (value instanceof Uint) return toInt(value.value);
  if (value instanceof Timestamp) return unixSeconds(value);
  return value instanceof Duration ? value.nanos : NO_SUCH_OVERLOAD;
}

/** `uint(x)`. */
export function toUintValue(value: Value): Value {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return toUint(value);
  if (typeof value === 'number') return doubleToUint(value);
  return typeof value === 'string' ? parseUint64(value) : NO_SUCH_OVERLOAD;
}

/** `double(x)`. */
export function toDoubleValue(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  return typeof value === 'string' ? parseDouble(value) : NO_SUCH_OVERLOAD;
}

/** `string(x)`. */
export function toStringValue(value: Value): Value {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  return value instanceof Bytes
    ? (decodeUtf8(value.value) ?? new CelError(INVALID_UTF8))
    : NO_SUCH_OVERLOAD;
}

/** `bytes(x)`. */
export function toBytesValue(value: Value): Value {
  if (value instanceof Bytes) return value;
  return typeof value === 'string' ? new Bytes(encodeUtf8(value)) : NO_SUCH_OVERLOAD;
}

/** `timestamp(x)` of an RFC 3339 text, or of seconds since 1970. */
export function toTimestampValue(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return timestampOfSeconds(value) ?? TIMESTAMP_OVERFLOW;
  if (typeof value !== 'string') return NO_SUCH_OVERLOAD;
  const timestamp = parseTimestamp(value);
  if (timestamp === 'syntax') return unreadable('google.protobuf.Timestamp');
  return timestamp === 'overflow' ? TIMESTAMP_OVERFLOW : timestamp;
}

/** `duration(x)`. cel-go declares it for an int, but it fails for every int. */
export function toDurationValue(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value === 'bigint') return new CelError(INT_AS_DURATION);
  if (typeof value !== 'string') return NO_SUCH_OVERLOAD;
  return parseDuration(value) ?? unreadable('google.protobuf.Duration');
}
