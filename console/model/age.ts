const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago a time was, in whole seconds; not less than 0. Undefined for a text that is no time. */
export function secondsSince(time: string | undefined, nowMs: number): number | undefined {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : Math.max(0, Math.floor((nowMs - ms) / 1000));
}

/** `44 s`, `10 min`, `2 h`, `3 d`: whole units, rounded down. */
export function ageText(seconds: number): string {
  if (seconds < MINUTE) return `${Math.floor(seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

/** A number with thin spaces between groups of three digits. */
export function countText(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, '\u2009');
}
