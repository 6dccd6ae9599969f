import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createQueryRunner } from '#shared/api/run-query.ts';
import type { QueryOutcome, QueryRequest } from '#shared/ports/query-runner.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import type { QuerySetup, ToQueryThread } from './query-threads.ts';
import { errorText, type FromThread } from './thread-messages.ts';

/** Evaluates a query. */
export type Evaluate = (request: QueryRequest, signal: AbortSignal) => Promise<QueryOutcome>;

function evaluation({ file, wds }: QuerySetup): Evaluate {
  const store = createSqliteItemStore(openSqliteDatabase(file, { readOnly: true }));
  const runner = createQueryRunner(createStatusSource({ store, wds, clock: Date.now }));
  // The main thread decides whose turn it is.
  return (request, signal) => runner.run(request, { user: '', signal });
}

/**
 * Evaluates the queries of the main thread in this worker thread, one after the other. It reads the store by a connection of its own
 * that cannot write. Between the slices of an evaluation, it hears whether the client has gone.
 *
 * @param change what a test replaces
 */
export function runQueryWorker(change: (evaluate: Evaluate) => Evaluate = (own) => own): void {
  const port = parentPort;
  if (port === null) throw new Error('not in a worker thread');
  const tell = (message: FromThread<QueryOutcome>): void => port.postMessage(message);
  // The main thread passes this type.
  const evaluate = change(evaluation(workerData as QuerySetup));
  let client = new AbortController();
  port.on('message', (message: ToQueryThread) => {
    if (message.type === 'leave') return client.abort();
    client = new AbortController();
    void evaluate(message.request, client.signal).then(
      (result) => tell({ type: 'done', result }),
      (error: unknown) => tell({ type: 'failed', error: errorText(error) }),
    );
  });
  tell({ type: 'ready' });
}
