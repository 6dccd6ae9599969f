import { NOT_NEEDED } from './messages.ts';

/** A thread of a {@link ThreadPool}. */
export interface PooledThread {
  readonly isAlive: boolean;
  /** Ends it, and waits until it has ended. */
  stop(reason: string): Promise<void>;
}

interface Idle<Thread> {
  readonly thread: Thread;
  /** Ends it, if it is not needed. */
  readonly timer: NodeJS.Timeout;
}

/** When threads start and end. */
export interface PoolOptions {
  /**
   * Another thread starts when no job has found a free one for so many milliseconds. Until then, jobs wait. A start costs a hundred
   * short jobs.
   */
  readonly waitMs: number;
  /** After so many milliseconds without a job, a thread ends. */
  readonly idleMs: number;
  /** As many threads stay, so that the next job does not wait for one to start. */
  readonly kept: number;
}

/**
 * Threads that do one job at a time each. The first job starts a thread. Another one starts when all have been busy for a time, and in
 * place of one that has ended.
 */
export class ThreadPool<Thread extends PooledThread> {
  readonly #start: () => Thread;
  readonly #options: PoolOptions;
  /** The thread that was used last is at the end and is used next, so others may never be needed. */
  readonly #idle: Idle<Thread>[] = [];
  readonly #busy = new Set<Thread>();
  /** The ends of the waits for a thread, the oldest first. */
  readonly #waits = new Set<() => void>();
  /** Jobs whose wait has ended, and that have not taken a thread yet. No later job takes it before them. */
  #called = 0;
  /** Since a job has found no free thread: runs until another one may start. */
  #full: NodeJS.Timeout | undefined;
  /** Whether that time is over. The next job that finds no free thread starts one. */
  #isOverdue = false;
  /** Why it was stopped. */
  #stopReason: string | undefined;

  /** @param start starts a thread */
  constructor(start: () => Thread, options: PoolOptions) {
    this.#start = start;
    this.#options = options;
  }

  /** Starts a first thread before it is needed. */
  warm(): void {
    this.#rest(this.#start());
  }

  /**
   * Does something with a thread that nobody else uses meanwhile.
   *
   * @throws Error if the pool was stopped
   */
  async use<T>(work: (thread: Thread) => Promise<T>): Promise<T> {
    if (this.#hasToWait()) {
      await this.#wait();
      this.#called -= 1;
    } else this.#noteFree();
    const thread = this.#take();
    try {
      return await work(thread);
    } finally {
      this.#busy.delete(thread);
      if (thread.isAlive) this.#rest(thread);
      const [first] = this.#waits;
      first?.();
    }
  }

  /** Ends all threads. What is done with them fails. */
  async stop(reason: string): Promise<void> {
    this.#stopReason = reason;
    this.#noteFree();
    for (const end of [...this.#waits]) end();
    for (const { timer } of this.#idle) clearTimeout(timer);
    const threads = [...this.#idle.map(({ thread }) => thread), ...this.#busy];
    await Promise.all(threads.map((thread) => thread.stop(reason)));
  }

  #hasToWait(): boolean {
    const isRunning = this.#stopReason === undefined && this.#options.waitMs > 0;
    const isFull = this.#idle.length <= this.#called;
    return isRunning && isFull && this.#busy.size + this.#called > 0;
  }

  /** Waits until a thread is free or has ended, or until another one may start. */
  #wait(): Promise<void> {
    if (this.#isOverdue) {
      this.#isOverdue = false;
      this.#called += 1;
      return Promise.resolve();
    }
    this.#full ??= setTimeout(() => this.#startAnother(), this.#options.waitMs);
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waits.delete(end);
        this.#called += 1;
        resolve();
      };
      this.#waits.add(end);
    });
  }

  #startAnother(): void {
    this.#full = undefined;
    const [first] = this.#waits;
    this.#isOverdue = first === undefined && this.#idle.length === 0;
    first?.();
    if (this.#waits.size > 0)
      this.#full = setTimeout(() => this.#startAnother(), this.#options.waitMs);
  }

  #noteFree(): void {
    clearTimeout(this.#full);
    this.#full = undefined;
    this.#isOverdue = false;
  }

  #take(): Thread {
    if (this.#stopReason !== undefined) throw new Error(this.#stopReason);
    let idle = this.#idle.pop();
    while (idle?.thread.isAlive === false) {
      clearTimeout(idle.timer);
      idle = this.#idle.pop();
    }
    clearTimeout(idle?.timer);
    const thread = idle?.thread ?? this.#start();
    this.#busy.add(thread);
    return thread;
  }

  #rest(thread: Thread): void {
    const timer = setTimeout(() => this.#retire(thread), this.#options.idleMs);
    this.#idle.push({ thread, timer });
  }

  #retire(thread: Thread): void {
    const alive = this.#idle.filter((idle) => idle.thread.isAlive).length + this.#busy.size;
    if (alive <= this.#options.kept) return;
    // It was free until now.
    this.#isOverdue = false;
    const index = this.#idle.findIndex((idle) => idle.thread === thread);
    this.#idle.splice(index, 1);
    void thread.stop(NOT_NEEDED);
  }
}
