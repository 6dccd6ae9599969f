/** What waiting needs of the world. */
export interface Waiting {
  /** Ends after so many milliseconds, or at once when the signal aborts; never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** So long a resource is followed after nobody asks for it any more: who asks again and again has it listed once. */
export const LINGER_MS = 5 * 60_000;

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** How long to wait after so many failures in a row (1 or more): doubling up to 30 s, the upper half of it random. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return full / 2 + (random() * full) / 2;
}
