import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs the jobs, at most so many at a time. After a failure no further one is begun; what is under way is waited for, so
 * that nothing happens after the call has ended. Throws what the first failure threw.
 */
export async function runConcurrently(
  jobs: readonly (() => Promise<void>)[],
  limit: number,
): Promise<void> {
  const failures: unknown[] = [];
  const waiting = jobs.values();
  const work = async (): Promise<void> => {
    for (const job of waiting) {
      if (failures.length > 0) return;
      try {
        await job();
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, jobs.length) }, work));
  if (failures.length > 0) throw failures[0];
}

/** Does work at once, or when work before it is done. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets so many pieces of work run at a time; what has to wait goes in the order in which it came. */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // What waits takes over the place, which stays counted.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Waits so long, not at all for a time that is over, or until the signal aborts; never throws. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the wait; the caller looks at its signal.
  await delay(Math.max(ms, 0), undefined, { signal }).catch(() => undefined);
}

/** Fulfilled when the signal has aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

/** Fulfilled or rejected as the work is; rejected at once when the signal aborts. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  return Promise.race([work, aborted.promise]).finally(() =>
    signal?.removeEventListener('abort', abort),
  );
}
