import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs jobs, with a maximum number of concurrent ones. After a failure, no further job is started. The call waits for the jobs
 * in progress, so that nothing happens after it has ended. Throws the first failure.
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

/** Runs work at once, or after earlier work has ended. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a limit on concurrent work. Work that has to wait runs in the order of the calls. */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The next work takes over the place, which stays counted.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Waits for a time, or until the signal aborts. If the time has passed, it does not wait. Never throws. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the wait. The caller checks its signal.
  await delay(Math.max(ms, 0), undefined, { signal }).catch(() => undefined);
}

/** Resolves when the signal has aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

/** Resolves or rejects like the work. If the signal aborts, it rejects at once. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  return Promise.race([work, aborted.promise]).finally(() =>
    signal?.removeEventListener('abort', abort),
  );
}

/**
 * Lets long computations take turns with everything else in the process. However many computations there are, only one of them goes
 * on before other requests do.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the caller may go on. */
  next(): Promise<void> {
    const turn = this.#last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    this.#last = turn;
    return turn;
  }
}
