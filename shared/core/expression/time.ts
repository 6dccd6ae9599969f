import { formatDecimal } from './number-format.ts';
import { Duration, Timestamp } from './value.ts';

const NANOS = 1_000_000_000n;
const MS_PER_SECOND = 1000;
const MIN_SECONDS = -62_135_596_800n;
const MAX_SECONDS = 253_402_300_799n;
const INT64_LIMIT = 2n ** 63n;
const DAY_SECONDS = 86_400n;

/**
 * The calendar fields of an instant at an offset. `month`, `day` and `dayOfYear` count from 1. `weekday` counts from 0,
 * which is Sunday.
 */
export interface CalendarTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly dayOfYear: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

function floorDivide(a: bigint, b: bigint): bigint {
  return a % b < 0n ? a / b - 1n : a / b;
}

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar (years counted from March, in eras of 400). */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** The calendar fields of a timestamp at an offset from UTC in seconds. */
export function calendar(timestamp: Timestamp, offsetSeconds: number): CalendarTime {
  const nanos = timestamp.nanos + BigInt(offsetSeconds) * NANOS;
  const seconds = floorDivide(nanos, NANOS);
  const days = Number(floorDivide(seconds, DAY_SECONDS));
  const secondOfDay = Number(seconds) - days * Number(DAY_SECONDS);
  const date = civilFromDays(days);
  return {
    ...date,
    dayOfYear: days - daysFromCivil(date.year, 1, 1) + 1,
    weekday: (((days + 4) % 7) + 7) % 7,
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor(secondOfDay / 60) % 60,
    second: secondOfDay % 60,
    nanosecond: Number(nanos - seconds * NANOS),
  };
}

/** Seconds from 1970-01-01T00:00:00Z to a UTC date and time. */
export function utcSeconds(
  time: Omit<CalendarTime, 'dayOfYear' | 'weekday' | 'nanosecond'>,
): number {
  const days = daysFromCivil(time.year, time.month, time.day);
  return days * Number(DAY_SECONDS) + time.hour * 3600 + time.minute * 60 + time.second;
}

/** A timestamp, or `undefined` outside the years 1 to 9999. */
export function timestampOf(nanos: bigint, offsetSeconds: number): Timestamp | undefined {
  const seconds = floorDivide(nanos, NANOS);
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) return undefined;
  return new Timestamp(nanos, offsetSeconds);
}

/** A duration, or `undefined` if the nanoseconds do not fit into int64. */
export function durationOf(nanos: bigint): Duration | undefined {
  return nanos < -INT64_LIMIT || nanos >= INT64_LIMIT ? undefined : new Duration(nanos);
}

/** The timestamp of a number of seconds since 1970, in UTC. */
export function timestampOfSeconds(seconds: bigint): Timestamp | undefined {
  return timestampOf(seconds * NANOS, 0);
}

/** Whole seconds since 1970, rounded down. */
export function unixSeconds(timestamp: Timestamp): bigint {
  return floorDivide(timestamp.nanos, NANOS);
}

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

function daysInMonth(year: number, month: number): number {
  return daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1);
}

/**
 * Reads an RFC 3339 time. Digits beyond nanoseconds are cut. Returns `syntax` for any other text, including a date that
 * does not exist, and `overflow` for year 0.
 */
export function parseTimestamp(text: string): Timestamp | 'syntax' | 'overflow' {
  const match = RFC3339.exec(text);
  if (match === null) return 'syntax';
  const number = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second] = [number(4), number(5), number(6)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return 'syntax';
  if (hour > 23 || minute > 59 || second > 59 || number(9) > 24 || number(10) > 60) return 'syntax';
  const offset = (match[8] === '-' ? -1 : 1) * (number(9) * 3600 + number(10) * 60);
  const seconds = utcSeconds({ year, month, day, hour, minute, second }) - offset;
  const nanosecond = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return timestampOf(BigInt(seconds) * NANOS + nanosecond, offset) ?? 'overflow';
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

function fractionText(nanosecond: number): string {
  return nanosecond === 0 ? '' : `.${pad(nanosecond, 9).replace(/0+$/, '')}`;
}

function offsetText(offsetSeconds: number): string {
  if (offsetSeconds === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offsetSeconds) / 60);
  const sign = offsetSeconds < 0 ? '-' : '+';
  return `${sign}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

/** The RFC 3339 text of a timestamp at its own offset, without trailing zeros (Go's `RFC3339Nano`). */
export function timestampText(timestamp: Timestamp): string {
  const t = calendar(timestamp, timestamp.offsetSeconds);
  const date = `${pad(t.year, 4)}-${pad(t.month, 2)}-${pad(t.day, 2)}`;
  const time = `${pad(t.hour, 2)}:${pad(t.minute, 2)}:${pad(t.second, 2)}`;
  return `${date}T${time}${fractionText(t.nanosecond)}${offsetText(timestamp.offsetSeconds)}`;
}

/** The RFC 3339 text, in UTC, of a time in milliseconds since 1970: whole seconds, rounded down. */
export function secondsText(ms: number): string {
  return timestampText(new Timestamp(BigInt(Math.floor(ms / MS_PER_SECOND)) * NANOS, 0));
}

const UNIT_NANOS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', NANOS],
  ['m', 60n * NANOS],
  ['h', 3600n * NANOS],
]);
const DURATION_PART = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
/** A number with more digits than this, without leading zeros, does not fit into int64 in any unit. */
const MAX_DURATION_DIGITS = 19;

function nanosOf(whole: string, fraction: string, scale: bigint): bigint | undefined {
  const digits = whole.replace(/^0+/, '');
  if (digits.length > MAX_DURATION_DIGITS) return undefined;
  const decimals = fraction.slice(0, 18);
  // BigInt('') is 0.
  return BigInt(digits) * scale + (BigInt(decimals) * scale) / 10n ** BigInt(decimals.length);
}

/** The nanoseconds of the parts of a duration, such as `1h30m`, or `undefined` if the text has no parts. */
function nanosOfParts(text: string): bigint | undefined {
  let nanos: bigint | undefined;
  for (let at = 0; at < text.length; at = DURATION_PART.lastIndex) {
    DURATION_PART.lastIndex = at;
    const [, whole = '', fraction = '', unit = ''] = DURATION_PART.exec(text) ?? [];
    if (whole === '' && fraction === '') return undefined;
    const part = nanosOf(whole, fraction, UNIT_NANOS.get(unit) as bigint); // the pattern names the same units
    if (part === undefined) return undefined;
    nanos = (nanos ?? 0n) + part;
  }
  return nanos;
}

/** Reads a duration like Go's `time.ParseDuration` (`1h30m`, `-1.5s`, `0`). Returns `undefined` for any other text. */
export function parseDuration(text: string): Duration | undefined {
  const parts = text.slice(/^[+-]/.test(text) ? 1 : 0);
  const nanos = parts === '0' ? 0n : nanosOfParts(parts);
  if (nanos === undefined) return undefined;
  return durationOf(text.startsWith('-') ? -nanos : nanos);
}

/**
 * The text of a duration: its seconds as a decimal number, and `s`. As in cel-go, the seconds are a double, so digits
 * after the 15th are lost.
 */
export function durationText({ nanos }: Duration): string {
  const seconds = Number(nanos / NANOS) + Number(nanos % NANOS) / Number(NANOS);
  return `${formatDecimal(seconds)}s`;
}
