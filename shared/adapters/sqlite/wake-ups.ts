/** Whom to wake when a queue of this process has something new. Holds no state of any queue. */
export interface WakeUps {
  /** Wakes everyone who waits for the queue. */
  notify(queue: string): void;
  /** Wakes everyone. */
  notifyAll(): void;
  /** Ends after so many milliseconds, or earlier on `notify` or abort; never throws. */
  wait(queue: string, milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Wake-ups for the queues of one database. */
export function createWakeUps(): WakeUps {
  const waiters = new Map<string, Set<() => void>>();
  const notify = (queue: string): void => {
    for (const wake of waiters.get(queue) ?? []) wake();
  };
  return {
    notify,
    notifyAll: () => {
      for (const queue of waiters.keys()) notify(queue);
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
        const timer = setTimeout(wake, milliseconds);
        signal?.addEventListener('abort', wake);
        waiting.add(wake);
      }),
  };
}
