import { setTimeout as sleepFor } from 'node:timers/promises';
import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { type BatchRules, runBatches, type Task } from './batches.ts';
import {
  failureOfEntry,
  type SqsFailure,
  type SqsOperation,
  unavailable,
  unavailableBy,
} from './failure.ts';

/** How requests are repeated. */
export interface BatchRunnerOptions {
  /** The timeout of an answer to a batch, after which the SDK retries. Default: 10,000. */
  readonly requestTimeoutMs?: number;
  /** Waits between attempts; rejects if it is aborted. Default: a timer. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to less than 1, for the jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

const REQUEST_TIMEOUT_MS = 10_000;
const FIRST_BACK_OFF_MS = 100;

interface BatchOutput {
  readonly Successful?: readonly { readonly Id: string | undefined }[] | undefined;
  readonly Failed?: readonly BatchResultErrorEntry[] | undefined;
}

interface RequestOptions {
  readonly requestTimeout: number;
  readonly abortSignal?: AbortSignal;
}

/** One of the operations on batches. */
export interface BatchOperation<Entry> extends SqsOperation {
  /** Sends one request. The identifiers of the entries are their indexes. */
  request(
    entries: readonly (Entry & { readonly Id: string })[],
    options: RequestOptions,
  ): Promise<BatchOutput>;
  /** As {@link BatchRules.settles}. */
  settles(failure: SqsFailure, task: Task<Entry>): boolean;
}

const NOT_MENTIONED: SqsFailure = { code: 'NoResult', message: '', senderFault: false };

/** Returns the failure of the entry with an identifier. An answer may leave out an entry. */
function failureIn({ Successful, Failed }: BatchOutput, id: string): SqsFailure | undefined {
  const failed = Failed?.find(({ Id }) => Id === id);
  if (failed !== undefined) return failureOfEntry(failed);
  return Successful?.some(({ Id }) => Id === id) ? undefined : NOT_MENTIONED;
}

/**
 * Runs an operation on batches: sends the requests, reads the results, waits and retries.
 *
 * @throws QueueUnavailableError, and the error of the operation's `settles`.
 */
export type BatchRunner = <Entry>(
  tasks: readonly Task<Entry>[],
  operation: BatchOperation<Entry>,
  signal: AbortSignal | undefined,
) => Promise<void>;

/** The runner for one queue. */
export function createBatchRunner(options: BatchRunnerOptions): BatchRunner {
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, random = Math.random } = options;
  const sleep = options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal }));
  return async <Entry>(
    tasks: readonly Task<Entry>[],
    operation: BatchOperation<Entry>,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const translated = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        signal?.throwIfAborted();
        return await work();
      } catch (error) {
        throw unavailableBy(operation, error);
      }
    };
    const requestOptions: RequestOptions = {
      requestTimeout: requestTimeoutMs,
      ...(signal === undefined ? {} : { abortSignal: signal }),
    };
    const rules: BatchRules<Entry> = {
      send: async (entries) => {
        const batch = entries.map((entry, index) => ({ ...entry, Id: String(index) }));
        const output = await translated(() => operation.request(batch, requestOptions));
        return batch.map(({ Id }) => failureIn(output, Id));
      },
      settles: operation.settles,
      exhausted: (failure) => unavailable(operation, failure),
      backOff: (failures) =>
        translated(() => sleep(random() * FIRST_BACK_OFF_MS * 2 ** (failures - 1), signal)),
    };
    await runBatches(tasks, rules);
  };
}
