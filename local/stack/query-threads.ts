import { FairLimit } from '#shared/api/fair-limit.ts';
import { QueryEndedError, QueryUnavailableError } from '#shared/errors.ts';
import type {
  QueryOutcome,
  QueryReader,
  QueryRequest,
  QueryRunner,
} from '#shared/ports/query-runner.ts';
import { EndableThread, type ThreadEnd } from './endable-thread.ts';
import { CLIENT_GONE, STACK_STOPS } from './messages.ts';
import { ThreadPool } from './thread-pool.ts';

/** The limits of queries. */
export interface QueryLimits {
  /** Heap of a thread, in MB. */
  readonly memoryMb: number;
  /** How long a thread may take for one query, in milliseconds. */
  readonly queryMs: number;
  /** How long a thread may take to leave a query whose client has gone, in milliseconds. */
  readonly leaveMs: number;
  /** After so many milliseconds without a query, a thread ends. */
  readonly idleMs: number;
}

/** The dependencies of {@link QueryThreads}. */
export interface QueryThreadsOptions {
  /** The module that a thread runs. */
  readonly entry: URL;
  /** The file with the store. It exists. */
  readonly file: string;
  /** The WDS whose workload objects are queried. */
  readonly wds: string;
  readonly limits: QueryLimits;
  /** Called when a query was ended. */
  readonly onEnded: (user: string, error: QueryEndedError) => void;
}

/** The data that a thread receives when it starts. */
export type QuerySetup = Pick<QueryThreadsOptions, 'file' | 'wds'>;

/** A message to a thread: a query, or that the client of its query has gone. */
export type ToQueryThread =
  | { readonly type: 'query'; readonly request: QueryRequest }
  | { readonly type: 'leave' };

type QueryThread = EndableThread<ToQueryThread, QueryOutcome>;

/** While one evaluates the queries of one user, there is another one for those of others. */
const MAX_THREADS = 2;
const THREADS_OF_ONE_USER = 1;

function errorOf({ cause, reason }: ThreadEnd): Error {
  if (cause === 'late' || cause === 'failed')
    return new QueryEndedError(reason, { isLate: cause === 'late' });
  return new QueryUnavailableError(reason);
}

function startThread({ entry, file, wds, limits }: QueryThreadsOptions): QueryThread {
  const setup: QuerySetup = { file, wds };
  return new EndableThread({
    ...{ entry, setup, name: 'queries', endedError: errorOf },
    memoryMb: limits.memoryMb,
    jobMs: limits.queryMs,
  });
}

/**
 * Evaluates queries in worker threads, one for each thread at a time. If a query loops, takes too much memory or crashes the engine,
 * only its thread ends, and only this query fails. Queries that wait are in the queues of their users, who take turns. No thread runs
 * before the first query, or some minutes after the last one.
 */
export class QueryThreads implements QueryRunner {
  readonly #options: QueryThreadsOptions;
  readonly #threads: ThreadPool<QueryThread>;
  readonly #turns = new FairLimit(MAX_THREADS, THREADS_OF_ONE_USER);
  #isStopped = false;

  constructor(options: QueryThreadsOptions) {
    this.#options = options;
    this.#threads = new ThreadPool(() => startThread(options), {
      // A query takes longer than the start of a thread.
      waitMs: 0,
      idleMs: options.limits.idleMs,
      kept: 0,
    });
  }

  async run(request: QueryRequest, reader: QueryReader): Promise<QueryOutcome> {
    return this.#turns.run(reader, async (signal) => {
      if (this.#isStopped) throw new QueryUnavailableError(STACK_STOPS);
      try {
        return await this.#threads.use((thread) => this.#evaluate(thread, request, signal));
      } catch (error) {
        if (error instanceof QueryEndedError) this.#options.onEnded(reader.user, error);
        throw error;
      }
    });
  }

  /** Ends all threads. Queries that wait fail. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#threads.stop(STACK_STOPS);
  }

  async #evaluate(
    thread: QueryThread,
    request: QueryRequest,
    signal: AbortSignal,
  ): Promise<QueryOutcome> {
    await thread.started();
    signal.throwIfAborted();
    let leaving: NodeJS.Timeout | undefined;
    const leave = (): void => {
      thread.say({ type: 'leave' });
      const how = { cause: 'unneeded', reason: CLIENT_GONE } as const;
      leaving = setTimeout(() => thread.end(how), this.#options.limits.leaveMs);
    };
    signal.addEventListener('abort', leave);
    try {
      return await thread.do({ type: 'query', request });
    } finally {
      signal.removeEventListener('abort', leave);
      clearTimeout(leaving);
    }
  }
}
