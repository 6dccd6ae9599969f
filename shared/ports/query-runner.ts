import type { QueryFault } from '#shared/core/status-api/status-query.ts';
import type { Scope } from './status-source.ts';

/** A query, and what its user may read. All of it is plain data, which can be given to another thread. */
export interface QueryRequest {
  /** The StatusQuery or ClusterStatusQuery, as JSON. */
  readonly text: string;
  /** Whether it is a StatusQuery. */
  readonly isNamespaced: boolean;
  readonly scope: Scope;
  /** The resources whose objects the user may get, as `<resource>[.<group>]`. Of the others, nothing is read. */
  readonly readable: readonly string[];
  /** Identifies the query in `continue`. */
  readonly identity: string;
  /** What is wrong with the objects that the query is about. It is reported if nothing else is wrong. */
  readonly fault?: QueryFault;
}

/** The answer to a query, or why there is none. It is plain data, too. */
export type QueryOutcome =
  /** `status` is the one of the answer, as JSON. */
  | { readonly type: 'answer'; readonly status: string }
  | { readonly type: 'invalid'; readonly faults: readonly QueryFault[] }
  /** `continue` is not one that an answer to this query has given. */
  | { readonly type: 'invalid-continue' };

/** Who waits for the answer to a query. */
export interface QueryReader {
  /** The authenticated name of the user. */
  readonly user: string;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Compiles the expressions of queries, reads their rows and evaluates them. */
export interface QueryRunner {
  /**
   * Answers a query.
   *
   * @throws QueryEndedError if the evaluation was ended; QueryUnavailableError and StoreUnavailableError (both retryable); the
   * reason of the signal
   */
  run(request: QueryRequest, reader: QueryReader): Promise<QueryOutcome>;
}
