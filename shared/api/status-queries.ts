import { isObject, type JsonObject } from '#shared/core/json.ts';
import { readNamedWorkloads } from '#shared/core/status-api/status-query.ts';
import type { QueryRunner } from '#shared/ports/query-runner.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { requireJson } from './accept.ts';
import { textAnswer } from './answers.ts';
import { API_VERSION, GROUP } from './api-group.ts';
import type { ApiAnswer, ApiRequest, User } from './api-request.ts';
import { jsonText } from './json-text.ts';
import { Places, type PlacesOptions } from './places.ts';
import { readableWorkloads } from './queried-resources.ts';
import { CREATE_QUERY } from './query-messages.ts';
import {
  bodyOf,
  checkIdentity,
  checkOptions,
  identityOf,
  invalidContinue,
  invalidQuery,
  type QueryBody,
  scopeOf,
} from './query-request.ts';
import type { CreateTarget } from './query-resources.ts';
import { warningOf } from './readable.ts';
import type { Reviews } from './reviews.ts';
import { methodNotAllowed } from './status-error.ts';

/** What {@link StatusQueries} needs. */
export interface StatusQueriesOptions {
  readonly source: Pick<StatusSource, 'resourcesIn'>;
  readonly reviews: Reviews;
  readonly queries: QueryRunner;
}

/** So many queries wait or are evaluated. One that waits holds little more than its text, so many users have their places. */
const PLACES: PlacesOptions = { what: 'queries', max: 64, ofOneUser: 4 };

/** Who asks a query, and where. */
interface Asking {
  readonly target: CreateTarget;
  readonly user: User;
  readonly signal: AbortSignal;
}

/** The created object. The text of its status is not parsed again, because it may have a megabyte. */
function createdText(
  object: JsonObject,
  { resource, namespace }: CreateTarget,
  status: string,
): string {
  const { kind, namespaced } = resource.names;
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const text = jsonText({
    ...{ apiVersion: API_VERSION, kind },
    metadata: { ...metadata, ...(namespaced ? { namespace } : {}) },
    spec: object['spec'] ?? {},
  });
  return `${text.slice(0, -1)},"status":${status}}`;
}

/** What is created is answered and stored nowhere: StatusQueries and ClusterStatusQueries. */
export class StatusQueries {
  readonly #options: StatusQueriesOptions;
  readonly #places = new Places(PLACES);

  constructor(options: StatusQueriesOptions) {
    this.#options = options;
  }

  /**
   * Answers a query.
   *
   * @throws StatusError; what {@link QueryRunner.run} throws
   */
  async create(target: CreateTarget, user: User, request: ApiRequest): Promise<ApiAnswer> {
    if (request.method !== 'POST') throw methodNotAllowed(CREATE_QUERY);
    const { namespace, resource } = target;
    const { plural } = resource.names;
    await this.#options.reviews.require(user, {
      ...{ verb: 'create', group: GROUP, resource: plural, namespace },
      name: '',
    });
    requireJson(request.accept);
    checkOptions(request);
    const body = await bodyOf(request);
    checkIdentity(body.object, target);
    // A body that comes slowly holds no place.
    const giveBack = this.#places.take(user.username);
    try {
      return await this.#answer(body, { target, user, signal: request.signal });
    } finally {
      giveBack();
    }
  }

  /** The expressions of a query are compiled when it is known that the user may read what they are about. */
  async #answer({ text, object }: QueryBody, { target, user, signal }: Asking): Promise<ApiAnswer> {
    const { kind, namespaced: isNamespaced } = target.resource.names;
    const workloads = readNamedWorkloads(object, isNamespaced);
    const scope = scopeOf(target, workloads);
    const found = await readableWorkloads(this.#options, { user, scope, workloads }, signal);
    const readable = 'fault' in found ? undefined : found.readable;
    const outcome = await this.#options.queries.run(
      {
        ...{ text, isNamespaced, scope, identity: identityOf(target, object) },
        readable: readable?.allowed() ?? [],
        ...('fault' in found ? { fault: found.fault } : {}),
      },
      { user: user.username, signal },
    );
    if (outcome.type === 'invalid') throw invalidQuery(kind, outcome.faults);
    if (outcome.type === 'invalid-continue') throw invalidContinue(kind);
    const answer = createdText(object, target, outcome.status);
    const headers = warningOf(readable?.hidden() ?? []);
    return textAnswer(answer, { code: 201, headers });
  }
}
