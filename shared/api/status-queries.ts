import { isObject, type JsonObject } from '#shared/core/json.ts';
import { type QueriedRow, readStatusQuery } from '#shared/core/status-api/status-query.ts';
import { StatusQueryRun } from '#shared/core/status-api/status-query-run.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { RowsBatch, StatusSource } from '#shared/ports/status-source.ts';
import { requireJson } from './accept.ts';
import { API_VERSION, GROUP } from './api-group.ts';
import type { ApiAnswer, ApiRequest, User } from './api-request.ts';
import { jsonText } from './json-text.ts';
import { readableWorkloads } from './queried-resources.ts';
import {
  afterOf,
  bodyOf,
  checkIdentity,
  checkOptions,
  continueOf,
  identityOf,
  invalidContinue,
  invalidQuery,
  scopeOf,
} from './query-request.ts';
import type { CreateTarget } from './query-resources.ts';
import { warningOf } from './readable.ts';
import type { Reviews } from './reviews.ts';
import { methodNotAllowed, tooManyRequests } from './status-error.ts';
import { Turns } from './turns.ts';

/** What {@link StatusQueries} needs. */
export interface StatusQueriesOptions {
  readonly source: Pick<StatusSource, 'rows' | 'resourcesIn'>;
  readonly reviews: Reviews;
}

/** So many queries are answered at a time: each holds the rows of its answer, and a batch of rows. */
const MAX_QUERIES = 8;
/** After so many steps, other requests go on: as many as one row may take. */
const SLICE_STEPS = 5_000;

async function* eachRow(batches: AsyncIterable<RowsBatch>): AsyncGenerator<QueriedRow> {
  for await (const { rows, isLast } of batches) {
    yield* rows;
    if (isLast) return;
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** What is created is answered and stored nowhere: StatusQueries and ClusterStatusQueries. */
export class StatusQueries {
  readonly #options: StatusQueriesOptions;
  readonly #turns = new Turns();
  #running = 0;

  constructor(options: StatusQueriesOptions) {
    this.#options = options;
  }

  /**
   * Answers a query.
   *
   * @throws StatusError
   */
  async create(target: CreateTarget, user: User, request: ApiRequest): Promise<ApiAnswer> {
    if (request.method !== 'POST') throw methodNotAllowed();
    const { namespace, resource } = target;
    const { plural } = resource.names;
    await this.#options.reviews.require(user, {
      ...{ verb: 'create', group: GROUP, resource: plural, namespace },
      name: '',
    });
    requireJson(request.accept);
    checkOptions(request);
    if (this.#running >= MAX_QUERIES)
      throw tooManyRequests(`${MAX_QUERIES} queries are being answered: try again later`);
    this.#running += 1;
    try {
      return await this.#answer(target, user, request);
    } finally {
      this.#running -= 1;
    }
  }

  async #answer(target: CreateTarget, user: User, request: ApiRequest): Promise<ApiAnswer> {
    const object = await bodyOf(request);
    checkIdentity(object, target);
    const { kind, namespaced } = target.resource.names;
    const reading = readStatusQuery(object, namespaced);
    if (!reading.ok) throw invalidQuery(kind, reading.faults);
    const { query } = reading;
    const identity = identityOf(target, object);
    const after = afterOf(query, identity, kind);
    const scope = scopeOf(target, query);
    const found = await readableWorkloads(this.#options, { user, scope, query }, request.signal);
    if ('fault' in found) throw invalidQuery(kind, [found.fault]);
    const { readable } = found;
    const rows = this.#options.source.rows(
      {
        ...{ scope, workloads: query.workloads, collector: query.collector },
        readable: (one) => readable.has(one),
        ...(after === undefined ? {} : { after }),
      },
      request.signal,
    );
    const run = new StatusQueryRun(query.collector, after !== undefined);
    const isEnd = await this.#run(run, eachRow(rows), request.signal).catch((error: unknown) => {
      throw error instanceof InvalidContinuationError ? invalidContinue(kind) : error;
    });
    const { position } = run;
    const isLast = isEnd || position === undefined;
    const next = isLast ? {} : { continue: continueOf(position, identity) };
    const metadata = isObject(object['metadata']) ? object['metadata'] : {};
    const { namespace } = target;
    const body: JsonObject = {
      ...{ apiVersion: API_VERSION, kind },
      metadata: { ...metadata, ...(namespaced ? { namespace } : {}) },
      spec: object['spec'] ?? {},
      status: { ...run.status(isEnd), ...next },
    };
    return {
      code: 201,
      headers: { 'content-type': 'application/json', ...warningOf(readable.hidden()) },
      body: once(jsonText(body)),
      isStream: false,
    };
  }

  /** Takes rows until the answer is full, or the client has gone. Returns whether there are no more. */
  async #run(
    run: StatusQueryRun,
    rows: AsyncIterable<QueriedRow>,
    signal: AbortSignal,
  ): Promise<boolean> {
    let pausedAt = 0;
    for await (const row of rows) {
      if (signal.aborted || !run.take(row)) return false;
      if (run.steps - pausedAt < SLICE_STEPS) continue;
      pausedAt = run.steps;
      await this.#turns.next();
    }
    return true;
  }
}
