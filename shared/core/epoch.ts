/** Epochs that may be given within a second. */
export const EPOCHS_PER_SECOND = 2 ** 20;

/**
 * So far an epoch may be ahead of the receiver's clock: clocks that are wrong by more are an outage in Kubernetes too, as
 * tokens and certificates do not count then.
 */
export const MAX_EPOCH_AHEAD_MS = 3_600_000;

/** A forwarder that sends a million events a second for twelve days gets there. */
export const MAX_SEQUENCE = 2 ** 40;

/**
 * The first epoch of a second: those of a source grow with the time at which somebody began to speak for it.
 *
 * @param ms milliseconds since 1970
 */
export function epochAt(ms: number): number {
  return Math.floor(ms / 1_000) * EPOCHS_PER_SECOND;
}

/** The last epoch of the second of a time, in milliseconds since 1970. */
export function lastEpochAt(ms: number): number {
  return epochAt(ms) + EPOCHS_PER_SECOND - 1;
}

/** The greatest epoch that is taken at a time, in milliseconds since 1970. */
export function maxEpochAt(nowMs: number): number {
  return lastEpochAt(nowMs + MAX_EPOCH_AHEAD_MS);
}
