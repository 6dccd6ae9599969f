import { Worker } from 'node:worker_threads';
import { AppError, messageOf } from '#shared/errors.ts';
import type { BatchResponse, SqsHandler } from '#shared/runtime/batch.ts';
import type { ObservabilitySettings } from '#shared/runtime/observability.ts';
import {
  errorOf,
  errorText,
  type FromWorker,
  type PortCalls,
  type ToWorker,
  type WorkerSetup,
} from './aggregation-calls.ts';

/** The limits of aggregation. */
export interface AggregationLimits {
  /** Heap of a worker, in MB. */
  readonly memoryMb: number;
  /**
   * How long an invocation may last, in milliseconds. This is longer than its own time limit, and shorter than its
   * messages are invisible.
   */
  readonly invocationMs: number;
}

/** The dependencies of a pool of workers. */
export interface AggregationPoolOptions {
  /** The module that a worker runs. */
  readonly entry: URL;
  /** The file with the store. It exists. */
  readonly file: string;
  readonly limits: AggregationLimits;
  readonly calls: PortCalls;
  /** Whether a rule concerns the verdicts on workload objects. */
  readonly notifiesOfVerdicts: boolean;
  readonly observability: ObservabilitySettings;
  /** Receives a line of the log or of metrics. */
  readonly onLine: (line: string) => void;
}

/** A worker thread was ended, or ended itself, during an invocation. Its messages are delivered again. */
export class WorkerEndedError extends AppError {
  override readonly name = 'WorkerEndedError';
  readonly code = 'worker-ended';
  readonly retryable = true;
  constructor(reason: string) {
    super(`aggregation was ended: ${reason}; its messages are retried, one after the other`);
  }
}

/** A thread that takes longer to load its modules counts as failed. */
const START_MS = 30_000;

/** One worker thread, which handles one invocation at a time. */
class AggregationWorker {
  readonly #thread: Worker;
  readonly #options: AggregationPoolOptions;
  /** Loading does not count as part of an invocation, because it takes seconds on a busy machine. */
  readonly #ready = Promise.withResolvers<void>();
  readonly #starting: NodeJS.Timeout;
  #invocation: PromiseWithResolvers<BatchResponse> | undefined;
  #endedFor: string | undefined;

  constructor(options: AggregationPoolOptions) {
    this.#options = options;
    const { file, observability, notifiesOfVerdicts } = options;
    const workerData: WorkerSetup = { file, observability, notifiesOfVerdicts };
    this.#thread = new Worker(options.entry, {
      workerData,
      name: 'aggregate-workload',
      resourceLimits: { maxOldGenerationSizeMb: options.limits.memoryMb },
      // None of the options of the process, because some of them are not allowed for threads. Node 22 warns of node:sqlite in each.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#starting = setTimeout(() => this.#end('its thread did not start'), START_MS);
    // A waiting caller gets the error.
    this.#ready.promise.catch(() => undefined);
    this.#thread.on('message', (message: FromWorker) => this.#take(message));
    this.#thread.on('error', (error) => this.#end(messageOf(error)));
    this.#thread.on('exit', () => this.#end('its thread has ended'));
  }

  get isAlive(): boolean {
    return this.#endedFor === undefined;
  }

  async invoke(...[event, context]: Parameters<SqsHandler>): Promise<BatchResponse> {
    await this.#ready.promise;
    if (this.#endedFor !== undefined) throw new WorkerEndedError(this.#endedFor);
    const { invocationMs } = this.#options.limits;
    const invocation = Promise.withResolvers<BatchResponse>();
    this.#invocation = invocation;
    const { functionName, awsRequestId: requestId } = context;
    this.#say({ type: 'invoke', event, functionName, requestId });
    const timer = setTimeout(() => {
      this.#end(`it took longer than ${invocationMs / 1000} seconds`);
    }, invocationMs);
    try {
      return await invocation.promise;
    } finally {
      clearTimeout(timer);
      this.#invocation = undefined;
    }
  }

  async stop(): Promise<void> {
    this.#end('the stack stops');
    await this.#thread.terminate();
  }

  #say(message: ToWorker): void {
    this.#thread.postMessage(message);
  }

  /** Runs only once, because whatever happens to the thread later is a consequence. */
  #end(reason: string): void {
    if (this.#endedFor !== undefined) return;
    this.#endedFor = reason;
    void this.#thread.terminate();
    clearTimeout(this.#starting);
    const error = new WorkerEndedError(reason);
    this.#ready.reject(error);
    this.#invocation?.reject(error);
  }

  #take(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#starting);
        this.#ready.resolve();
        break;
      case 'call':
        void this.#call(message);
        break;
      case 'line':
        this.#options.onLine(message.text);
        break;
      case 'handled':
        this.#invocation?.resolve(message.response);
        break;
      case 'failed':
        this.#invocation?.reject(errorOf(message.error));
        break;
    }
  }

  /** A call of a worker that has ended may still take effect, like a call of a killed process. */
  async #call({ id, call, args }: Extract<FromWorker, { type: 'call' }>): Promise<void> {
    // The types of these calls also hold in the worker.
    const run = this.#options.calls[call] as (...args: readonly unknown[]) => Promise<unknown>;
    try {
      this.#say({ type: 'answer', id, value: await run(...args) });
    } catch (error) {
      this.#say({ type: 'failure', id, error: errorText(error) });
    }
  }
}

/**
 * Worker threads that run aggregations and can be ended. If an aggregation loops or takes too much memory, only its
 * thread ends, and the rest of the process goes on (docs/adr/0015-aggregation-in-workers.md). The next invocation gets
 * a new thread. A thread is started when it is first needed.
 */
export class AggregationPool {
  readonly #options: AggregationPoolOptions;
  /** The worker that was used last is at the end and is used next, so others may never be needed. */
  readonly #idle: AggregationWorker[] = [];
  readonly #busy = new Set<AggregationWorker>();

  constructor(options: AggregationPoolOptions) {
    this.#options = options;
  }

  /** Starts a first worker before it is needed. */
  warm(): void {
    this.#idle.push(new AggregationWorker(this.#options));
  }

  /**
   * Handles a batch in a worker.
   * @throws WorkerEndedError
   */
  readonly handler: SqsHandler = async (event, context) => {
    const worker = this.#take();
    try {
      return await worker.invoke(event, context);
    } finally {
      this.#busy.delete(worker);
      if (worker.isAlive) this.#idle.push(worker);
    }
  };

  async stop(): Promise<void> {
    await Promise.all([...this.#idle, ...this.#busy].map((worker) => worker.stop()));
  }

  #take(): AggregationWorker {
    let worker = this.#idle.pop();
    while (worker?.isAlive === false) worker = this.#idle.pop();
    worker ??= new AggregationWorker(this.#options);
    this.#busy.add(worker);
    return worker;
  }
}
