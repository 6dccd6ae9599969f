/**
 * A thread for queries in which some users poison what evaluates their queries. What a query does is its name: `endless` loops,
 * `greedy` takes all memory, `leaving` ends the thread, `searching` reads without end, `patient` waits until its client has gone,
 * `failing` finds no store, and `which` says which thread it is in. Any other query is evaluated. The test is told how many have begun,
 * and in which thread the last one has.
 */
import { getEnvironmentData, threadId } from 'node:worker_threads';
import { type Evaluate, runQueryWorker } from '#local/stack/run-query-worker.ts';
import { createQueryRunner } from '#shared/api/run-query.ts';
import { untilAborted } from '#shared/concurrency.ts';
import { parseJson, textAt } from '#shared/core/json.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { RowsBatch } from '#shared/ports/status-source.ts';

// What the test sets.
const begun = new Int32Array(getEnvironmentData('queries-begun') as SharedArrayBuffer);

async function* noRows(): AsyncGenerator<RowsBatch> {
  for (;;) yield { rows: [], isLast: false };
}
const searching = createQueryRunner({ rows: noRows });

const POISONS: Readonly<Record<string, Evaluate>> = {
  endless: () => {
    for (let turn = 0; ; turn += 1) if (turn < 0) throw new Error('it ends');
  },
  greedy: () => {
    for (const kept: string[][] = []; ; ) kept.push(Array.from({ length: 100_000 }, String));
  },
  leaving: () => process.exit(1),
  patient: async (_request, signal) => {
    await untilAborted(signal);
    throw signal.reason;
  },
  searching: (request, signal) => searching.run(request, { user: '', signal }),
  failing: async () => {
    throw new StoreUnavailableError('get');
  },
  which: async () => ({ type: 'answer', status: String(threadId) }),
};

runQueryWorker((own) => (request, signal) => {
  Atomics.store(begun, 1, threadId);
  Atomics.add(begun, 0, 1);
  Atomics.notify(begun, 0);
  const name = textAt(parseJson(request.text), 'metadata', 'name');
  return (POISONS[name] ?? own)(request, signal);
});
