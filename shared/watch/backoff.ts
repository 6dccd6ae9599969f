/** The dependencies of waiting. */
export interface Waiting {
  /** Ends after this number of milliseconds, or at once if the signal aborts. Never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * The time that a resource is followed after the last reader has left. So a reader that leaves and returns repeatedly causes
 * only one listing.
 */
export const LINGER_MS = 5 * 60_000;

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** The time to wait after this number of failures in a row (1 or more). It doubles up to 30 s, and its upper half is random. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return full / 2 + (random() * full) / 2;
}
