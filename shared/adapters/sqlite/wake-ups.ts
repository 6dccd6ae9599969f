/** How a receiver waits. */
export interface Waiting<T> {
  /**
   * Receives, in the transaction of a change that may have brought something for the receiver. Returns `undefined` if there is
   * nothing. It may be run twice, because the transaction may be.
   */
  readonly receive: () => T | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The receivers of this process that wait for queues. It has no state of any queue. */
export interface WakeUps {
  /**
   * Lets the waiting receivers of queues receive, the one that has waited longest first, until there is nothing for the next one.
   * Call this at the end of a transaction that has changed the queues.
   *
   * @returns what ends the waits of those that have received. Call it when the transaction is committed
   */
  receive(queues: ReadonlySet<string>): () => void;
  /**
   * Wakes the receiver that has waited longest for the queue. If it finds something, it notifies the next one, so that a single
   * message does not wake every receiver.
   */
  notify(queue: string): void;
  /** Notifies after a number of milliseconds, unless that is planned for an earlier time. */
  notifyAfter(queue: string, milliseconds: number): void;
  /** Wakes all receivers. */
  notifyAll(): void;
  /**
   * Resolves after a number of milliseconds, or earlier on `notify`, abort, or a change by another process. If the time has
   * passed, it resolves at once. Never rejects.
   *
   * @returns what was received; undefined if the caller has to look
   */
  wait<T>(queue: string, milliseconds: number, waiting: Waiting<T>): Promise<T | undefined>;
}

/** How soon a change by another process is noticed, in milliseconds. Another process cannot wake a receiver here. */
const LOOK_MS = 100;
/** The longest time that a timer of Node takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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

interface Waiter {
  /** Receives. Returns what ends the wait with the outcome; `undefined` if there was nothing. */
  readonly receive: () => (() => void) | undefined;
  readonly wake: () => void;
}

/** The waiting receivers of one queue, and its next notification. */
class Waiters {
  readonly all = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  notify(): void {
    const [first] = this.all;
    first?.wake();
  }

  notifyAfter(milliseconds: number): void {
    const dueMs = performance.now() + milliseconds;
    if (dueMs >= this.#dueMs || milliseconds > MAX_TIMER_MS) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.notify();
    }, milliseconds);
    // Receivers that wait keep the process alive themselves.
    this.#timer.unref();
  }
}

/**
 * Wake-ups for the queues of one database.
 *
 * @param version a number that differs if another connection has changed the database since the last call. It may throw
 */
export function createWakeUps(version: () => number): WakeUps {
  const queues = new Map<string, Waiters>();
  let count = 0;
  const waitersOf = (queue: string): Waiters => {
    const waiters = queues.get(queue) ?? new Waiters();
    queues.set(queue, waiters);
    return waiters;
  };
  const notifyAll = (): void => {
    for (const { all } of queues.values()) for (const { wake } of [...all]) wake();
  };
  const lookout = new Lookout(version, notifyAll);
  return {
    receive: (changed) => {
      const ends: (() => void)[] = [];
      for (const queue of changed)
        for (const waiter of waitersOf(queue).all) {
          const end = waiter.receive();
          if (end === undefined) break;
          ends.push(end);
        }
      return () => {
        for (const end of ends) end();
      };
    },
    notify: (queue) => waitersOf(queue).notify(),
    notifyAfter: (queue, milliseconds) => waitersOf(queue).notifyAfter(milliseconds),
    notifyAll,
    wait: <T>(queue: string, milliseconds: number, { receive, signal }: Waiting<T>) =>
      new Promise<T | undefined>((resolve) => {
        const { all } = waitersOf(queue);
        const end = (received?: T): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          if (all.delete(waiter)) count -= 1;
          if (count === 0) lookout.stop();
          resolve(received);
        };
        const wake = (): void => end();
        const waiter: Waiter = {
          wake,
          receive: () => {
            const received = receive();
            return received && (() => end(received));
          },
        };
        const timer = setTimeout(wake, Math.max(milliseconds, 0));
        signal?.addEventListener('abort', wake);
        all.add(waiter);
        count += 1;
        lookout.start();
      }),
  };
}
