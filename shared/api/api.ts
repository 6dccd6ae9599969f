import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { Scope, StatusSource } from '#shared/ports/status-source.ts';
import { aggregatedDiscovery, negotiateForm, requireJson } from './accept.ts';
import { API_VERSION, GROUP } from './api-group.ts';
import type { ApiAnswer, ApiRequest, User } from './api-request.ts';
import { ChangeFeed } from './change-feed.ts';
import {
  aggregatedGroups,
  apiGroup,
  type DiscoveredResource,
  groupList,
  resourceList,
  verbsOf,
} from './discovery.ts';
import { createFailure, type Failure } from './failure.ts';
import { createIntern } from './known-names.ts';
import { type AnswerBounds, checkRevision, listText } from './list.ts';
import { isWatch, parseListOptions, selectedName } from './list-options.ts';
import { openApiDocuments } from './openapi.ts';
import { pacedSource } from './paced.ts';
import { type IncludedObject, Presenter } from './presentation.ts';
import { CREATED, CREATED_VERBS, createTargetOf } from './query-resources.ts';
import { Readable, reviewScope, warningOf } from './readable.ts';
import { type AnyResource, RESOURCES } from './resources.ts';
import { Reviews } from './reviews.ts';
import { type Target, targetOf } from './routes.ts';
import type { ServedResource } from './served-resource.ts';
import { SharedReads } from './shared-reads.ts';
import {
  methodNotAllowed,
  notFound,
  StatusError,
  tooManyRequests,
  unknownResource,
} from './status-error.ts';
import { StatusQueries } from './status-queries.ts';
import { watchLines } from './watch.ts';
import type { SharedWatchParts, WatchRequest } from './watch-events.ts';
import { forbidWithout, readItem } from './without.ts';

/** What {@link StatusApi} needs. */
export interface StatusApiOptions {
  readonly source: StatusSource;
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
  /** How many watches there may be at a time. */
  readonly maxWatches?: number;
}

const BOOKMARK_MS = 60_000;
const PACE_MS = 500;
/** A watch that cannot follow such changes reads them at once. */
const MAX_PACED = 4;
const MAX_WATCHES = 1_000;
const JSON_TYPE = 'application/json';
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
/**
 * If an object is not found, kubectl asks whether its namespace exists, and reports that instead if the answer is 404 as well.
 */
const NAMESPACE_PATH = /^\/api\/v1\/namespaces\/[^/]+$/;
const NO_NAMESPACES = `this server serves only ${GROUP}: ask the WDS about namespaces`;
const NO_WATCH =
  'this door serves no watch: list again, or watch at the direct door or through the APIService';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function answer(body: JsonObject, contentType = JSON_TYPE): ApiAnswer {
  const headers = { 'content-type': contentType };
  return { code: 200, headers, body: once(stringifyJson(body)), isStream: false };
}

function failed(error: StatusError): ApiAnswer {
  const { retryAfterSeconds } = error.details;
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const headers = { 'content-type': JSON_TYPE, ...retry };
  return {
    code: error.code,
    headers,
    body: once(stringifyJson(error.toStatus())),
    isStream: false,
  };
}

/** 405, with the reason. */
function notServed(message: string): StatusError {
  return new StatusError({ code: 405, reason: 'MethodNotAllowed' }, message);
}

function includedObject(query: URLSearchParams): IncludedObject {
  const wanted = query.get('includeObject');
  return wanted === 'None' || wanted === 'Object' ? wanted : 'Metadata';
}

/** Reads the first piece, so that an error before it becomes an answer of its own. */
async function begun(body: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first = await body.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* body;
  })();
}

/** One request of a served resource. */
interface Asked<T> {
  readonly served: ServedResource<T>;
  readonly presenter: Presenter<T>;
  readonly target: Target;
  readonly user: User;
  readonly request: ApiRequest;
}

/**
 * The API `status.starfold.dev/v1alpha1` over the statuses of one WDS, without the technology of a server. Whoever reads needs the
 * verb on the resource of this group, and `get` of the workload object's own resource.
 *
 * Discovery and OpenAPI need neither the source nor the WDS: they are answered as long as the process runs.
 */
export class StatusApi {
  readonly #options: StatusApiOptions;
  readonly #reviews: Reviews;
  readonly #failure: Failure;
  readonly #watchParts: SharedWatchParts;
  readonly #closing = new AbortController();
  readonly #resources: readonly AnyResource[];
  readonly #created: typeof CREATED;
  readonly #documents: ReturnType<typeof openApiDocuments>;
  readonly #discovered: readonly DiscoveredResource[];
  readonly #queries: StatusQueries;
  #watches = 0;

  constructor(options: StatusApiOptions) {
    const { source, wds, now, watch, onError } = options;
    const { bookmarkMs = BOOKMARK_MS, paceMs = PACE_MS } = options;
    this.#options = options;
    this.#resources = options.resources ?? RESOURCES;
    this.#created = options.resources === undefined ? CREATED : [];
    this.#documents = openApiDocuments({ resources: this.#resources, created: this.#created });
    this.#reviews = new Reviews(wds, now);
    this.#failure = createFailure(onError);
    this.#queries = new StatusQueries({ source, reviews: this.#reviews });
    const verbs = verbsOf(watch);
    this.#discovered = [
      ...this.#resources.map(({ names }) => ({ names, verbs })),
      ...this.#created.map(({ names }) => ({ names, verbs: CREATED_VERBS })),
    ];
    this.#watchParts = {
      source,
      feed: new ChangeFeed({ source, onError }),
      pacedFeed: new ChangeFeed({
        source: pacedSource(source, paceMs),
        onError,
        maxShared: MAX_PACED,
      }),
      reads: new SharedReads(),
      intern: createIntern(),
      failure: this.#failure,
      bookmarkMs,
      closing: this.#closing.signal,
    };
  }

  /** Ends every watch in good order, so that clients watch again. */
  close(): void {
    this.#closing.abort();
  }

  /** Answers a request. Errors are answers, too. */
  async handle(request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#route(request);
    } catch (error) {
      return failed(this.#failure(error));
    }
  }

  async #route(request: ApiRequest): Promise<ApiAnswer> {
    const path = request.path.replace(/(?<=.)\/$/, '');
    const document = this.#document(path, request);
    if (document !== undefined) {
      if (request.method !== 'GET') throw methodNotAllowed();
      return document;
    }
    const target = targetOf(this.#resources, path);
    const createTarget = this.#created.length === 0 ? undefined : createTargetOf(path);
    // Who is not known learns nothing of what is served.
    const user = await request.authenticate();
    if (NAMESPACE_PATH.test(path)) throw notServed(NO_NAMESPACES);
    if (createTarget !== undefined) return this.#queries.create(createTarget, user, request);
    if (target === undefined) throw unknownResource();
    if (request.method !== 'GET') throw methodNotAllowed();
    return target.resource.use((served) => {
      const presentation = {
        form: negotiateForm(request.accept),
        include: includedObject(request.query),
      };
      const presenter = new Presenter(served, presentation, this.#options.now);
      const asked = { served, presenter, target, user, request };
      return target.name === undefined ? this.#collection(asked) : this.#get(asked, target.name);
    });
  }

  #document(path: string, { accept }: ApiRequest): ApiAnswer | undefined {
    if (HEALTH_PATHS.has(path))
      return {
        code: 200,
        headers: { 'content-type': 'text/plain' },
        body: once('ok'),
        isStream: false,
      };
    if (path === '/apis') return this.#groups(accept);
    if (path === `/apis/${GROUP}`) return answer(apiGroup());
    if (path === `/apis/${API_VERSION}`) return answer(resourceList(this.#discovered));
    const document = this.#documents.get(path);
    if (document === undefined) return undefined;
    requireJson(accept);
    return answer(document);
  }

  #groups(accept: string): ApiAnswer {
    const version = aggregatedDiscovery(accept);
    if (version === undefined) return answer(groupList());
    const type = `${JSON_TYPE};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    return answer(aggregatedGroups(this.#discovered, version), type);
  }

  async #get<T>(
    { served, presenter, target, user, request }: Asked<T>,
    name: string,
  ): Promise<ApiAnswer> {
    const { source } = this.#options;
    const { namespace = '' } = target;
    const { plural } = served.names;
    await this.#reviews.require(user, {
      verb: 'get',
      group: GROUP,
      resource: plural,
      namespace,
      name,
    });
    const itemName = { namespace, name };
    const absent = notFound({ group: GROUP, resource: plural }, name);
    if (served.workloads !== undefined) {
      const workload = served.workloads.named(itemName);
      if (workload === undefined) throw absent;
      await this.#reviews.require(user, { verb: 'get', ...workload });
    }
    const revision = await source.revision(request.signal);
    const item = await readItem({ served, source, itemName, request });
    if (item === undefined) throw absent;
    return answer(presenter.one(item, revision));
  }

  async #collection<T>(asked: Asked<T>): Promise<ApiAnswer> {
    const { served, target, user, request } = asked;
    const { namespace = '' } = target;
    if (served.readWithout !== undefined) forbidWithout(request.query);
    const options = parseListOptions(request.query, served.fields);
    const verb = isWatch(request.query) ? 'watch' : 'list';
    const name = selectedName(options.selector) ?? '';
    const access = { verb, group: GROUP, resource: served.names.plural, namespace, name };
    await this.#reviews.require(user, access);
    if (verb === 'watch' && !this.#options.watch) throw notServed(NO_WATCH);
    const scope: Scope = this.#scopeOf(served.names.namespaced, namespace);
    const readable = new Readable(this.#reviews, user, scope);
    if (served.workloads !== undefined)
      await reviewScope(
        { source: this.#options.source, readable },
        { scope, selector: options.selector },
        request.signal,
      );
    const headers = { 'content-type': JSON_TYPE, ...warningOf(readable.hidden()) };
    const common = {
      served,
      presenter: asked.presenter,
      scope,
      readable,
      options,
      signal: request.signal,
    };
    if (verb === 'watch')
      return { code: 200, headers, body: await this.#watch(common), isStream: true };
    const { source, bounds, now } = this.#options;
    const text = listText({ source, bounds, now, ...common });
    return { code: 200, headers, body: await begun(text), isStream: false };
  }

  #scopeOf(isNamespaced: boolean, namespace: string): Scope {
    if (!isNamespaced) return 'cluster';
    return namespace === '' ? 'all-namespaces' : { namespace };
  }

  async #watch<T>(request: WatchRequest<T>): Promise<AsyncIterable<string>> {
    const { maxWatches = MAX_WATCHES, source } = this.#options;
    if (this.#watches >= maxWatches)
      throw tooManyRequests(`there are ${maxWatches} watches already: try again later`);
    await checkRevision(source, request.options, request.signal);
    return this.#counted(watchLines(this.#watchParts, request));
  }

  async *#counted(lines: AsyncGenerator<string>): AsyncGenerator<string> {
    this.#watches += 1;
    try {
      yield* lines;
    } finally {
      this.#watches -= 1;
    }
  }
}
