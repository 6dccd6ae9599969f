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
