/** The receivers of this process that wait for queues. It has no state of any queue. */
export interface WakeUps {
  /**
   * Wakes the receiver that has waited longest for the queue. If it finds something, it notifies the next one, so that a single
   * message does not wake every receiver.
   */
  notify(queue: string): void;
  /** Wakes all receivers. */
  notifyAll(): void;
  /**
   * Resolves after a number of milliseconds, or earlier on `notify` or abort. If the time has passed, it resolves at once.
   * Never rejects.
   */
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
