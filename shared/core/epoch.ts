/** How many epochs can be used within a second. */
export const EPOCHS_PER_SECOND = 2 ** 20;

/**
 * How far an epoch may be ahead of the receiver's clock. Clocks that are wrong by more cause an outage in Kubernetes
 * too, because tokens and certificates are then not valid.
 */
export const MAX_EPOCH_AHEAD_MS = 3_600_000;

/** A forwarder reaches this after it has sent a million events a second for twelve days. */
export const MAX_SEQUENCE = 2 ** 40;

/**
 * The first epoch of a second. The epochs of a source grow with the time at which a forwarder began to report for it.
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

/** The greatest epoch that is accepted at a time, in milliseconds since 1970. */
export function maxEpochAt(nowMs: number): number {
  return lastEpochAt(nowMs + MAX_EPOCH_AHEAD_MS);
}
