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
   * Resolves after a number of milliseconds, or earlier on `notify`, abort, or a change by another process. If the time has
   * passed, it resolves at once. Never rejects.
   */
  wait(queue: string, milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** How soon a change by another process is noticed, in milliseconds. Another process cannot wake a receiver here. */
const LOOK_MS = 100;

/**
 * Wakes all receivers when another process has changed the file, and when the file cannot be read. It looks as long as there are
 * receivers: once for all of them, because each look of each receiver would cost as much as a message.
 */
class Lookout {
  readonly #version: () => number;
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Kept while nobody waits, so that the first look finds what has changed since the last one. */
  #last = Number.NaN;

  constructor(version: () => number, onChange: () => void) {
    this.#version = version;
    this.#onChange = onChange;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const before = this.#last;
    try {
      this.#last = this.#version();
    } catch {
      // The receivers look themselves, and get the error.
      this.#last = Number.NaN;
    }
    if (this.#last !== before) this.#onChange();
  }
}

/**
 * Wake-ups for the queues of one database.
 *
 * @param version a number that differs if another connection has changed the database since the last call. It may throw
 */
export function createWakeUps(version: () => number): WakeUps {
  const waiters = new Map<string, Set<() => void>>();
  let count = 0;
  const notifyAll = (): void => {
    for (const waiting of waiters.values()) for (const wake of [...waiting]) wake();
  };
  const lookout = new Lookout(version, notifyAll);
  return {
    notify: (queue) => {
      const [first] = waiters.get(queue) ?? [];
      first?.();
    },
    notifyAll,
    wait: (queue, milliseconds, signal) =>
      new Promise((resolve) => {
        const waiting = waiters.get(queue) ?? new Set();
        waiters.set(queue, waiting);
        const wake = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          if (waiting.delete(wake)) count -= 1;
          if (count === 0) lookout.stop();
          resolve();
        };
        const timer = setTimeout(wake, Math.max(milliseconds, 0));
        signal?.addEventListener('abort', wake);
        waiting.add(wake);
        count += 1;
        lookout.start();
      }),
  };
}
