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

/** How long threads stay without a job. */
export interface Rest {
  /** After so many milliseconds without a job, a thread ends. */
  readonly idleMs: number;
  /** As many threads stay, so that the next job does not wait for one to start. */
  readonly kept: number;
}

/** Threads that do one job at a time each. A thread is started when it is first needed, and in place of one that has ended. */
export class ThreadPool<Thread extends PooledThread> {
  readonly #start: () => Thread;
  readonly #rests: Rest;
  /** The thread that was used last is at the end and is used next, so others may never be needed. */
  readonly #idle: Idle<Thread>[] = [];
  readonly #busy = new Set<Thread>();

  /** @param start starts a thread */
  constructor(start: () => Thread, rest: Rest) {
    this.#start = start;
    this.#rests = rest;
  }

  /** Starts a first thread before it is needed. */
  warm(): void {
    this.#rest(this.#start());
  }

  /** Does something with a thread that nobody else uses meanwhile. */
  async use<T>(work: (thread: Thread) => Promise<T>): Promise<T> {
    const thread = this.#take();
    try {
      return await work(thread);
    } finally {
      this.#busy.delete(thread);
      if (thread.isAlive) this.#rest(thread);
    }
  }

  /** Ends all threads. What is done with them fails. */
  async stop(reason: string): Promise<void> {
    for (const { timer } of this.#idle) clearTimeout(timer);
    const threads = [...this.#idle.map(({ thread }) => thread), ...this.#busy];
    await Promise.all(threads.map((thread) => thread.stop(reason)));
  }

  #take(): Thread {
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
    const timer = setTimeout(() => this.#retire(thread), this.#rests.idleMs);
    this.#idle.push({ thread, timer });
  }

  #retire(thread: Thread): void {
    const alive = this.#idle.filter((idle) => idle.thread.isAlive).length + this.#busy.size;
    if (alive <= this.#rests.kept) return;
    const index = this.#idle.findIndex((idle) => idle.thread === thread);
    this.#idle.splice(index, 1);
    void thread.stop(NOT_NEEDED);
  }
}
