import { AppError } from '#shared/errors.ts';
import type { BatchResponse, SqsHandler } from '#shared/runtime/batch.ts';
import type { ObservabilitySettings } from '#shared/runtime/observability.ts';
import type { PortCalls, SaidByWorker, ToWorker, WorkerSetup } from './aggregation-calls.ts';
import { EndableThread } from './endable-thread.ts';
import { aggregationEnded, STACK_STOPS } from './messages.ts';
import { errorText } from './thread-messages.ts';
import { ThreadPool } from './thread-pool.ts';

/** The limits of aggregation. */
export interface AggregationLimits {
  /** Heap of a worker, in MB. */
  readonly memoryMb: number;
  /**
   * How long an invocation may last, in milliseconds. This is longer than its own time limit, and shorter than its
   * messages are invisible.
   */
  readonly invocationMs: number;
  /** If no invocation finds a free worker for so many milliseconds, another one starts. Until then, they wait. */
  readonly waitMs: number;
  /** After so many milliseconds without an invocation, a worker ends, unless it is the last one. */
  readonly idleMs: number;
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
    super(aggregationEnded(reason));
  }
}

type AggregationThread = EndableThread<ToWorker, BatchResponse, SaidByWorker>;

/** A call of a worker that has ended may still take effect, like a call of a killed process. */
async function answerCall(
  calls: PortCalls,
  { id, call, args }: Extract<SaidByWorker, { type: 'call' }>,
  say: (answer: ToWorker) => void,
): Promise<void> {
  // The types of these calls also hold in the worker.
  const run = calls[call] as (...args: readonly unknown[]) => Promise<unknown>;
  try {
    say({ type: 'answer', id, value: await run(...args) });
  } catch (error) {
    say({ type: 'failure', id, error: errorText(error) });
  }
}

function startThread(options: AggregationPoolOptions): AggregationThread {
  const { entry, limits, calls, onLine, file, observability, notifiesOfVerdicts } = options;
  const setup: WorkerSetup = { file, observability, notifiesOfVerdicts };
  return new EndableThread({
    ...{ entry, setup, name: 'aggregate-workload' },
    memoryMb: limits.memoryMb,
    jobMs: limits.invocationMs,
    endedError: ({ reason }) => new WorkerEndedError(reason),
    onOther: (message, say) => {
      if (message.type === 'line') onLine(message.text);
      else void answerCall(calls, message, say);
    },
  });
}

/**
 * Worker threads that run aggregations and can be ended (docs/adr/0015-aggregation-in-workers.md). After one has ended, the next
 * invocation gets a new one.
 */
export class AggregationPool {
  readonly #threads: ThreadPool<AggregationThread>;

  constructor(options: AggregationPoolOptions) {
    this.#threads = new ThreadPool(() => startThread(options), {
      waitMs: options.limits.waitMs,
      idleMs: options.limits.idleMs,
      kept: 1,
    });
  }

  /** Starts a first worker before it is needed. */
  warm(): void {
    this.#threads.warm();
  }

  /**
   * Handles a batch in a worker.
   * @throws WorkerEndedError
   */
  readonly handler: SqsHandler = (event, { functionName, awsRequestId: requestId }) =>
    this.#threads.use((thread) => thread.do({ type: 'invoke', event, functionName, requestId }));

  async stop(): Promise<void> {
    await this.#threads.stop(STACK_STOPS);
  }
}
