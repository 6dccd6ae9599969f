import { type BusyThread, thisThread } from '#shared/runtime/busy-thread.ts';

/** How long the thread is looked at before its share changes, in milliseconds. */
const LOOK_MS = 100;
/** A thread that was busy for a larger part of a look has no time to spare. */
const BUSY = 0.8;
/** How fast the clock goes at least, where 1 is as fast as time. */
export const LEAST_SHARE = 1 / 8;
/** How long a thread that is not busy takes from no share to all, in milliseconds. */
const RECOVERY_MS = 4_000;

/**
 * A clock for work that may wait for other work of the thread. It goes slower while the thread is busy, down to an eighth of the
 * time. So work that has a rate by this clock takes the time that other work leaves, on fast and slow machines.
 *
 * @returns milliseconds since some moment
 */
export function spareTimeClock(thread: BusyThread = thisThread()): () => number {
  let at = thread.now();
  let lookedAt = at;
  let [time, share] = [0, 1];
  return () => {
    const now = thread.now();
    time += (now - at) * share;
    at = now;
    const looked = now - lookedAt;
    if (looked < LOOK_MS) return time;
    share =
      thread.utilization() > BUSY
        ? Math.max(LEAST_SHARE, share / 2)
        : Math.min(1, share + looked / RECOVERY_MS);
    lookedAt = now;
    return time;
  };
}
