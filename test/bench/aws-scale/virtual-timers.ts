import type { EventClock } from '#test/bench/cost/event-clock.ts';

/**
 * Runs work with timers of a virtual clock: an invocation's deadline (shared/runtime/deadline.ts) is a timer. Restores the real
 * ones at the end.
 */
export async function withVirtualTimers<T>(clock: EventClock, run: () => Promise<T>): Promise<T> {
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const set = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const abort = new AbortController();
    void clock.sleep(ms, abort.signal).then(() => {
      if (!abort.signal.aborted) callback(...args);
    });
    return { abort, ref: () => undefined, unref: () => undefined };
  };
  const clear = (timer: { readonly abort?: AbortController } | undefined): void =>
    timer?.abort?.abort();
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  try {
    return await run();
  } finally {
    Object.assign(globalThis, { setTimeout: realSet, clearTimeout: realClear });
  }
}
