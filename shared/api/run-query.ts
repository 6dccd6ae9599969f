import { Turns } from '#shared/concurrency.ts';
import { type JsonObject, parseJson } from '#shared/core/json.ts';
import { resourceText } from '#shared/core/status-api/status-name.ts';
import {
  type QueriedRow,
  readStatusQuery,
  type StatusQuery,
} from '#shared/core/status-api/status-query.ts';
import { StatusQueryRun } from '#shared/core/status-api/status-query-run.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { QueryOutcome, QueryRequest, QueryRunner } from '#shared/ports/query-runner.ts';
import type { RowsBatch, StatusSource } from '#shared/ports/status-source.ts';
import { jsonText } from './json-text.ts';
import { afterOf, continueOf } from './query-request.ts';

/** After so many steps, and after each batch of rows, others go on, and a client that has gone is noticed. A row may take as many. */
const SLICE_STEPS = 5_000;

class RunnerHere implements QueryRunner {
  readonly #source: Pick<StatusSource, 'rows'>;
  readonly #turns = new Turns();

  constructor(source: Pick<StatusSource, 'rows'>) {
    this.#source = source;
  }

  async run(
    request: QueryRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<QueryOutcome> {
    const { text, isNamespaced, fault } = request;
    // Whoever asks has read it as an object.
    const reading = readStatusQuery(parseJson(text) as JsonObject, isNamespaced);
    if (!reading.ok) return { type: 'invalid', faults: reading.faults };
    if (fault !== undefined) return { type: 'invalid', faults: [fault] };
    try {
      return await this.#answer(reading.query, request, signal);
    } catch (error) {
      if (error instanceof InvalidContinuationError) return { type: 'invalid-continue' };
      throw error;
    }
  }

  async #answer(
    query: StatusQuery,
    { scope, readable, identity }: QueryRequest,
    signal: AbortSignal,
  ): Promise<QueryOutcome> {
    const { collector, workloads } = query;
    const after = afterOf(query, identity);
    const allowed = new Set(readable);
    const batches = this.#source.rows(
      {
        ...{ scope, workloads, collector },
        readable: (one) => allowed.has(resourceText(one)),
        ...(after === undefined ? {} : { after }),
      },
      signal,
    );
    const run = new StatusQueryRun(collector, after !== undefined);
    const isEnd = await this.#take(run, batches, signal);
    const { position } = run;
    const isLast = isEnd || position === undefined;
    const next = isLast ? {} : { continue: continueOf(position, identity) };
    return { type: 'answer', status: jsonText({ ...run.status(isEnd), ...next }) };
  }

  /** Takes rows until the answer is full. Returns whether there are no more. */
  async #take(
    run: StatusQueryRun,
    batches: AsyncIterable<RowsBatch>,
    signal: AbortSignal,
  ): Promise<boolean> {
    for await (const { rows, isLast } of batches) {
      if (!(await this.#takeBatch(run, rows, signal))) return false;
      if (isLast) return true;
    }
    return true;
  }

  /** Returns false if the answer is full. */
  async #takeBatch(
    run: StatusQueryRun,
    rows: readonly QueriedRow[],
    signal: AbortSignal,
  ): Promise<boolean> {
    let pausedAt = run.steps;
    for (const row of rows) {
      if (!run.take(row)) return false;
      if (run.steps - pausedAt < SLICE_STEPS) continue;
      await this.#pause(signal);
      pausedAt = run.steps;
    }
    await this.#pause(signal);
    return true;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await this.#turns.next();
    signal.throwIfAborted();
  }
}

/** Creates a runner that evaluates queries in this thread. Everything else goes on meanwhile, but no evaluation can be ended. */
export function createQueryRunner(source: Pick<StatusSource, 'rows'>): QueryRunner {
  return new RunnerHere(source);
}
