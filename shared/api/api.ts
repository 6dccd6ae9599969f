import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { QueryRunner } from '#shared/ports/query-runner.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { errorAnswer } from './answers.ts';
import type { ApiAnswer, ApiRequest, ServedApi } from './api-request.ts';
import { BoundedReads } from './bounded-reads.ts';
import { Documents, type Served } from './documents.ts';
import { createFailure, type Failure } from './failure.ts';
import type { AnswerBounds } from './list.ts';
import { NO_NAMESPACES, ONLY_READ, SEE_DISCOVERY } from './messages.ts';
import { CREATED, createTargetOf } from './query-resources.ts';
import { type AnyResource, RESOURCES } from './resources.ts';
import { Reviews } from './reviews.ts';
import { targetOf } from './routes.ts';
import { createQueryRunner } from './run-query.ts';
import { answerSelfReview, selfReviewOf } from './self-reviews.ts';
import { ServedRequests } from './served-requests.ts';
import { clientGone, methodNotAllowed, StatusError, unknownResource } from './status-error.ts';
import { StatusQueries } from './status-queries.ts';
import { Watches } from './watches.ts';

/** What {@link StatusApi} needs. */
export interface StatusApiOptions {
  readonly source: StatusSource;
  /** Evaluates queries. Default: in this thread. */
  readonly queries?: QueryRunner;
  /** The resources that are served, without queries. Default: those of a WDS, with queries. */
  readonly resources?: readonly AnyResource[];
  /** The WDS, which is asked who may do what. */
  readonly wds: Pick<ObjectApi, 'create'>;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether watches are served. Where nothing runs for long, they are not. */
  readonly watch: boolean;
  /** What a list may be at most. Absent if it may have any size. */
  readonly bounds?: AnswerBounds;
  /** Called with errors that the client did not cause. */
  readonly onError: (error: unknown) => void;
  /** The time between two bookmarks, in milliseconds. */
  readonly bookmarkMs?: number;
  /** The time between two readings of what is costly to read and changes all the time, in milliseconds. */
  readonly paceMs?: number;
  /** How many watches there may be at a time. One user may have a quarter of them. */
  readonly maxWatches?: number;
}

const CORE_PATH = '/api';

/**
 * If an object is not found, kubectl asks whether its namespace exists, and reports that instead if the answer is 404 as well.
 */
const NAMESPACE_PATH = /^\/api\/v1\/namespaces\/[^/]+$/;

/**
 * The API `status.starfold.dev/v1alpha1` over the statuses of one WDS, without the technology of a server. Whoever reads needs the
 * verb on the resource of this group, and `get` of the workload object's own resource.
 */
export class StatusApi implements ServedApi {
  readonly #failure: Failure;
  readonly #served: Served;
  readonly #documents: Documents;
  readonly #watches: Watches;
  readonly #requests: ServedRequests;
  readonly #queries: StatusQueries;
  readonly #reviews: Reviews;

  constructor(options: StatusApiOptions) {
    const { source, resources, wds, now, watch, onError, bounds } = options;
    const { bookmarkMs, paceMs, maxWatches } = options;
    const reviews = new Reviews(wds, now);
    this.#reviews = reviews;
    const reads = new BoundedReads(source);
    const failure = createFailure(onError);
    const times = { bookmarkMs, paceMs, maxWatches };
    this.#failure = failure;
    this.#served =
      resources === undefined
        ? { resources: RESOURCES, created: CREATED }
        : { resources, created: [] };
    this.#documents = new Documents(this.#served, watch);
    this.#watches = new Watches({ source, reads, failure, onError, watch, ...times });
    const watches = this.#watches;
    this.#requests = new ServedRequests({ source, reads, reviews, watches, now, bounds });
    const { queries = createQueryRunner(source) } = options;
    this.#queries = new StatusQueries({ source, reviews, queries });
  }

  close(): void {
    this.#watches.close();
  }

  async handle(request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#route(request);
    } catch (error) {
      const { signal, onError } = request;
      const isGone = signal.aborted && error === signal.reason;
      const failure = onError === undefined ? this.#failure : createFailure(onError);
      return errorAnswer(isGone ? clientGone() : failure(error));
    }
  }

  async #route(request: ApiRequest): Promise<ApiAnswer> {
    const path = request.path.replace(/(?<=.)\/$/, '');
    const document = this.#documents.answer(path, request.accept);
    if (document !== undefined) {
      if (request.method !== 'GET') throw methodNotAllowed(ONLY_READ);
      return document;
    }
    // Discovery goes on without the core group, whoever asks.
    if (path === CORE_PATH) throw unknownResource(SEE_DISCOVERY);
    const { resources, created } = this.#served;
    const target = targetOf(resources, path);
    const review = selfReviewOf(path);
    const createTarget = created.length === 0 ? undefined : createTargetOf(path);
    // Who is not known learns nothing of what is served.
    const user = await request.authenticate();
    if (review !== undefined)
      return answerSelfReview(review, { reviews: this.#reviews, user, request });
    if (NAMESPACE_PATH.test(path))
      throw new StatusError({ code: 405, reason: 'MethodNotAllowed' }, NO_NAMESPACES);
    if (createTarget !== undefined) return this.#queries.create(createTarget, user, request);
    if (target === undefined) throw unknownResource(SEE_DISCOVERY);
    if (request.method !== 'GET') throw methodNotAllowed(ONLY_READ);
    return this.#requests.answer(target, user, request);
  }
}
