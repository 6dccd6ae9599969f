import { sortableNumber } from '#shared/state/keys.ts';

/**
 * The partition of everything that is stored for the times of `starfold.dev/silent-after`. Sort keys begin with the time. So a
 * sweep finds each time that is in use with one query, and reads nothing else as long as nothing changes.
 */
export const SILENT_AFTER_PARTITION = 'SILENT-AFTER';

/**
 * What is stored for a time:
 * - `S`: the subjects that have the time, by partition;
 * - `W`: the WECs that have been silent for that time, by name, as in `SILENCE`;
 * - `R`: rows that count because they were recorded after the last heartbeat of their WEC, by WEC and subject.
 */
export type SilentAfterRange = 'R' | 'S' | 'W';

const SECOND_DIGITS = 6;
const DIGITS = sortableNumber(0).length;

/** The prefix of the sort keys of a time. */
export function silentAfterTime(silentAfterMs: number): string {
  return sortableNumber(silentAfterMs / 1000).slice(DIGITS - SECOND_DIGITS);
}

/** The prefix of the sort keys of one range of a time. */
export function silentAfterPrefix(silentAfterMs: number, kept: SilentAfterRange): string {
  return `${silentAfterTime(silentAfterMs)}|${kept}|`;
}

/** The time of an item. */
export function parseSilentAfterTime(sk: string): number {
  return Number(sk.slice(0, SECOND_DIGITS)) * 1000;
}
