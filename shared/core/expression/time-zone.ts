import { calendar, utcSeconds } from './time.ts';
import { CelError, type Timestamp } from './value.ts';

/** How many time zones are kept. */
const MAX_ZONES = 50;

/** Longer than any name of a time zone. */
const MAX_NAME = 64;

/** An error quotes at most this much of a text that is not a time zone, because nobody has paid for more. */
const MAX_NAMED = 500;

function unknownZone(zone: string): CelError {
  return new CelError(`unknown time zone ${zone.slice(0, MAX_NAMED)}`);
}

const formats = new Map<string, Intl.DateTimeFormat | CelError>();

function makeFormat(zone: string): Intl.DateTimeFormat | CelError {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return unknownZone(zone);
  }
}

/** Whether a time zone is looked up by its name: it is not UTC, not an offset, and its text may be a name. */
export function isNamedZone(zone: string): boolean {
  return zone !== 'UTC' && zone.length <= MAX_NAME && /^[A-Za-z][^:]*$/.test(zone);
}

function zoneFormat(zone: string): Intl.DateTimeFormat | CelError {
  const cached = formats.get(zone);
  if (cached) return cached;
  const format = makeFormat(zone);
  const [oldest] = formats.keys();
  if (formats.size >= MAX_ZONES && oldest !== undefined) formats.delete(oldest);
  formats.set(zone, format);
  return format;
}

function namedOffset(zone: string, timestamp: Timestamp): number | CelError {
  const format = zoneFormat(zone);
  if (format instanceof CelError) return format;
  const t = calendar(timestamp, 0);
  const seconds = utcSeconds(t);
  const parts = new Map(
    format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const local = utcSeconds({
    year: parts.get('era') === 'BC' ? 1 - part('year') : part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  });
  return local - seconds;
}

/**
 * The offset of a time zone from UTC at an instant, in seconds. The time zone is an IANA name, `[+-]hours:minutes`, or
 * empty for UTC (cel-go, `timestamp.go`, `timeZone`).
 */
export function zoneOffset(zone: string, timestamp: Timestamp): number | CelError {
  if (zone === '' || zone === 'UTC') return 0;
  if (isNamedZone(zone)) return namedOffset(zone, timestamp);
  const match = /^([+-]?)(\d{1,2}):(\d{1,2})$/.exec(zone);
  if (match === null) return unknownZone(zone);
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60;
  return match[1] === '-' ? -seconds : seconds;
}
