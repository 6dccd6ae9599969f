/** Whom to wake when a queue of this process has something new. Holds no state of any queue. */
export interface WakeUps {
  /**
   * Wakes the one who has waited longest for the queue. Whoever then finds something passes the word on, so that a
   * single message does not wake everybody.
   */
  notify(queue: string): void;
  /** Wakes everyone. */
  notifyAll(): void;
  /** Ends after so many milliseconds, at once for a time that is over, or earlier on `notify` or abort; never throws. */
  wait(queue: string, milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Wake-ups for the queues of one database. */
export function createWakeUps(): WakeUps {
  const waiters = new Map<string, Set<() => void>>();
  return {
    notify: (queue) => {
      const [first] = waiters.get(queue) ?? [];
      first?.();
    },
    notifyAll: () => {
      for (const waiting of waiters.values()) for (const wake of [...waiting]) wake();
    },
    wait: (queue, milliseconds, signal) =>
      new Promise((resolve) => {
        const waiting = waiters.get(queue) ?? new Set();
        waiters.set(queue, waiting);
        const wake = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, Math.max(milliseconds, 0));
        signal?.addEventListener('abort', wake);
        waiting.add(wake);
      }),
  };
}
