import { isObject, type JsonObject } from '#shared/core/json.ts';
import {
  type QueriedRow,
  readQueriedWorkloads,
  readStatusQuery,
  type StatusQuery,
} from '#shared/core/status-api/status-query.ts';
import { StatusQueryRun } from '#shared/core/status-api/status-query-run.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { RowsBatch, Scope, StatusSource } from '#shared/ports/status-source.ts';
import { requireJson } from './accept.ts';
import { textAnswer } from './answers.ts';
import { API_VERSION, GROUP } from './api-group.ts';
import type { ApiAnswer, ApiRequest, User } from './api-request.ts';
import { jsonText } from './json-text.ts';
import { Places, type PlacesOptions } from './places.ts';
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
import { type Readable, warningOf } from './readable.ts';
import type { Reviews } from './reviews.ts';
import { methodNotAllowed } from './status-error.ts';
import { Turns } from './turns.ts';

/** What {@link StatusQueries} needs. */
export interface StatusQueriesOptions {
  readonly source: Pick<StatusSource, 'rows' | 'resourcesIn'>;
  readonly reviews: Reviews;
}

/** So many queries are answered at a time: each holds the rows of its answer, and a batch of rows. */
const PLACES: PlacesOptions = { what: 'queries', max: 8, ofOneUser: 4 };
/** After so many steps, other requests go on: as many as one row may take. */
const SLICE_STEPS = 5_000;

async function* eachRow(batches: AsyncIterable<RowsBatch>): AsyncGenerator<QueriedRow> {
  for await (const { rows, isLast } of batches) {
    yield* rows;
    if (isLast) return;
  }
}

/** Who asks a query, and where. */
interface Asking {
  readonly target: CreateTarget;
  readonly user: User;
  readonly signal: AbortSignal;
}

/** A valid query, and what its user may read. */
interface ReadQuery {
  readonly query: StatusQuery;
  readonly scope: Scope;
  readonly readable: Readable;
}

/** What is created is answered and stored nowhere: StatusQueries and ClusterStatusQueries. */
export class StatusQueries {
  readonly #options: StatusQueriesOptions;
  readonly #turns = new Turns();
  readonly #places = new Places(PLACES);

  constructor(options: StatusQueriesOptions) {
    this.#options = options;
  }

  /**
   * Answers a query.
   *
   * @throws StatusError
   */
  async create(target: CreateTarget, user: User, request: ApiRequest): Promise<ApiAnswer> {
    if (request.method !== 'POST') throw methodNotAllowed('a query is only created: use POST');
    const { namespace, resource } = target;
    const { plural } = resource.names;
    await this.#options.reviews.require(user, {
      ...{ verb: 'create', group: GROUP, resource: plural, namespace },
      name: '',
    });
    requireJson(request.accept);
    checkOptions(request);
    const object = await bodyOf(request);
    checkIdentity(object, target);
    // A body that comes slowly holds no place.
    const giveBack = this.#places.take(user.username);
    try {
      return await this.#answer(object, { target, user, signal: request.signal });
    } finally {
      giveBack();
    }
  }

  async #answer(object: JsonObject, { target, user, signal }: Asking): Promise<ApiAnswer> {
    const { kind, namespaced } = target.resource.names;
    const { query, scope, readable } = await this.#read(object, { target, user, signal });
    const identity = identityOf(target, object);
    const after = afterOf(query, identity, kind);
    const rows = this.#options.source.rows(
      {
        ...{ scope, workloads: query.workloads, collector: query.collector },
        readable: (one) => readable.has(one),
        ...(after === undefined ? {} : { after }),
      },
      signal,
    );
    const run = new StatusQueryRun(query.collector, after !== undefined);
    const isEnd = await this.#run(run, eachRow(rows), signal).catch((error: unknown) => {
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
    return textAnswer(jsonText(body), { code: 201, headers: warningOf(readable.hidden()) });
  }

  /** Reads a query. Its expressions are compiled when it is known that the user may read what they are about. */
  async #read(object: JsonObject, { target, user, signal }: Asking): Promise<ReadQuery> {
    const { kind, namespaced } = target.resource.names;
    const workloads = readQueriedWorkloads(object, namespaced);
    const scope = scopeOf(target, workloads);
    const found = await readableWorkloads(this.#options, { user, scope, workloads }, signal);
    const reading = readStatusQuery(object, namespaced);
    if (!reading.ok) throw invalidQuery(kind, reading.faults);
    if ('fault' in found) throw invalidQuery(kind, [found.fault]);
    return { query: reading.query, scope, readable: found.readable };
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
