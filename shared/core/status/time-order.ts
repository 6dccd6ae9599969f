import { parseTimestamp, timestampText } from '#shared/core/expression/time.ts';
import { Timestamp } from '#shared/core/expression/value.ts';

const AS_KUBERNETES_WRITES = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** A time as Kubernetes writes it, on a day that every month has. Most times are such, and need no parsing. */
const CERTAINLY_TIME =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

function isUsual(time: string): boolean {
  return AS_KUBERNETES_WRITES.test(time);
}

/**
 * A text that sorts like the time: in UTC without the `Z`, so that a fraction follows its whole second. `''`, before all times,
 * if the text is not an RFC 3339 time.
 */
function sortable(text: string): string {
  if (isUsual(text)) return text.slice(0, -1);
  const time = parseTimestamp(text);
  return typeof time === 'string' ? '' : timestampText(new Timestamp(time.nanos, 0)).slice(0, -1);
}

/**
 * Orders two RFC 3339 times: negative if `a` is older. A text that is not a time is older than any time. Different
 * spellings of one time are ordered too, so that 0 means equal texts.
 */
export function compareTimes(a: string, b: string): number {
  if (a === b) return 0;
  // The usual case needs no parsing, because such texts sort like their times.
  if (isUsual(a) && isUsual(b)) return a < b ? -1 : 1;
  const [left, right] = [sortable(a), sortable(b)];
  if (left === right) return a < b ? -1 : 1;
  return left < right ? -1 : 1;
}

/** Whether a text is an RFC 3339 time. */
export function isTime(text: string): boolean {
  return CERTAINLY_TIME.test(text) || typeof parseTimestamp(text) !== 'string';
}

/** The earlier of two times. */
export function earlierTime(a: string, b: string): string {
  return compareTimes(a, b) > 0 ? b : a;
}

/** The later of two times. */
export function laterTime(a: string, b: string): string {
  return compareTimes(a, b) < 0 ? b : a;
}
