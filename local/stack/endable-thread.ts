import { Worker } from 'node:worker_threads';
import { messageOf } from '#shared/errors.ts';
import { HAS_ENDED, NOT_STARTED, tooLong, tooMuchMemory } from './messages.ts';
import { errorOf, type FromThread } from './thread-messages.ts';

/** How a thread has ended. */
export interface ThreadEnd {
  /** It did not start, its job took too long, it failed (memory, a crash, an exit), or nobody needs it any more. */
  readonly cause: 'start' | 'late' | 'failed' | 'unneeded';
  readonly reason: string;
}

/** The options of a thread. `Other` is what it says besides how its jobs end. */
export interface EndableThreadOptions<To, Other> {
  /** The module that the thread runs. */
  readonly entry: URL;
  readonly name: string;
  /** What the module gets. */
  readonly setup: unknown;
  /** Its heap, in MB. */
  readonly memoryMb: number;
  /** How long a job may last, in milliseconds. */
  readonly jobMs: number;
  /** The error of a job whose thread has ended. */
  readonly endedError: (end: ThreadEnd) => Error;
  /** Receives what else the thread says. */
  readonly onOther?: (message: Other, say: (answer: To) => void) => void;
}

/** A thread that takes longer to load its modules counts as failed. */
const START_MS = 30_000;

/**
 * One worker thread, which does one job at a time. If a job loops, takes too much memory or crashes the engine, only this thread
 * ends, and the job fails. The rest of the process goes on.
 */
export class EndableThread<To, Result, Other = never> {
  readonly #thread: Worker;
  readonly #options: EndableThreadOptions<To, Other>;
  /** Loading does not count as part of a job, because it takes seconds on a busy machine. */
  readonly #ready = Promise.withResolvers<void>();
  readonly #starting: NodeJS.Timeout;
  #hasStarted = false;
  #job: PromiseWithResolvers<Result> | undefined;
  #end: ThreadEnd | undefined;

  constructor(options: EndableThreadOptions<To, Other>) {
    this.#options = options;
    const { entry, name, setup, memoryMb } = options;
    this.#thread = new Worker(entry, {
      workerData: setup,
      name,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // None of the options of the process, because some of them are not allowed for threads. Node 22 warns of node:sqlite in each.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#starting = setTimeout(() => this.#fail(NOT_STARTED), START_MS);
    // A waiting caller gets the error.
    this.#ready.promise.catch(() => undefined);
    this.#thread.on('message', (message: FromThread<Result, Other>) => this.#take(message));
    this.#thread.on('error', (error) => {
      const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#fail(isFull ? tooMuchMemory(memoryMb) : messageOf(error));
    });
    this.#thread.on('exit', () => this.#fail(HAS_ENDED));
  }

  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /**
   * Resolves when the thread can take a job.
   *
   * @throws `endedError` if it has ended
   */
  async started(): Promise<void> {
    await this.#ready.promise;
    if (this.#end !== undefined) throw this.#options.endedError(this.#end);
  }

  /**
   * Gives the thread a job.
   *
   * @throws what the job throws; `endedError` if the thread ends
   */
  async do(job: To): Promise<Result> {
    // Without a pause in between, so that what the caller says next follows the job.
    if (!this.#hasStarted || !this.isAlive) await this.started();
    const { jobMs } = this.#options;
    const done = Promise.withResolvers<Result>();
    this.#job = done;
    this.say(job);
    const timer = setTimeout(() => {
      this.end({ cause: 'late', reason: tooLong(jobMs / 1000) });
    }, jobMs);
    try {
      return await done.promise;
    } finally {
      clearTimeout(timer);
      this.#job = undefined;
    }
  }

  /** Sends a message to the thread. */
  say(message: To): void {
    this.#thread.postMessage(message);
  }

  /** Ends the thread. Its job fails. Only the first call counts, because whatever happens later is a consequence. */
  end(how: ThreadEnd): void {
    if (this.#end !== undefined) return;
    this.#end = how;
    void this.#thread.terminate();
    clearTimeout(this.#starting);
    const error = this.#options.endedError(how);
    this.#ready.reject(error);
    this.#job?.reject(error);
  }

  /** Ends the thread, and waits until it has ended. */
  async stop(reason: string): Promise<void> {
    this.end({ cause: 'unneeded', reason });
    await this.#thread.terminate();
  }

  #fail(reason: string): void {
    this.end({ cause: this.#hasStarted ? 'failed' : 'start', reason });
  }

  #take(message: FromThread<Result, Other>): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#starting);
        this.#hasStarted = true;
        this.#ready.resolve();
        break;
      case 'done':
        this.#job?.resolve(message.result);
        break;
      case 'failed':
        this.#job?.reject(errorOf(message.error));
        break;
      case 'other':
        this.#options.onOther?.(message.message, (answer) => this.say(answer));
        break;
    }
  }
}
