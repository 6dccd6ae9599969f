import { sortableNumber } from '#shared/state/keys.ts';

/**
 * One partition for everything that is kept of the times of `starfold.dev/silent-after`. Sort keys begin with the time, so
 * that a sweep finds each time that is in use by one query, and reads nothing else while nothing changes.
 */
export const SILENT_AFTER_PARTITION = 'SILENT-AFTER';

/**
 * What is kept below a time:
 * - `S`: the subjects that have it, by partition;
 * - `W`: the WECs that have been silent for so long, by name, as below `SILENCE`;
 * - `R`: rows that count because they were recorded after the last heartbeat of their WEC, by WEC and subject.
 */
export type SilentAfterRange = 'R' | 'S' | 'W';

const SECOND_DIGITS = 6;
const DIGITS = sortableNumber(0).length;

/** How the sort keys of a time begin. */
export function silentAfterTime(silentAfterMs: number): string {
  return sortableNumber(silentAfterMs / 1000).slice(DIGITS - SECOND_DIGITS);
}

/** How the sort keys of what is kept below a time begin. */
export function silentAfterPrefix(silentAfterMs: number, kept: SilentAfterRange): string {
  return `${silentAfterTime(silentAfterMs)}|${kept}|`;
}

/** The time below which an item is kept. */
export function parseSilentAfterTime(sk: string): number {
  return Number(sk.slice(0, SECOND_DIGITS)) * 1000;
}
