import type { Scope, StatusSource } from '#shared/ports/status-source.ts';
import { negotiateForm } from './accept.ts';
import { begun, JSON_TYPE, jsonAnswer } from './answers.ts';
import { GROUP } from './api-group.ts';
import type { ApiAnswer, ApiRequest, User } from './api-request.ts';
import type { BoundedReads } from './bounded-reads.ts';
import { type AnswerBounds, checkRevision, listText } from './list.ts';
import { isWatch, type ListOptions, parseListOptions, selectedName } from './list-options.ts';
import { type IncludedObject, Presenter } from './presentation.ts';
import { Readable, reviewScope, warningOf } from './readable.ts';
import type { Reviews } from './reviews.ts';
import type { Target } from './routes.ts';
import type { ServedResource } from './served-resource.ts';
import { notFound } from './status-error.ts';
import type { WatchRequest } from './watch-events.ts';
import type { Watches } from './watches.ts';
import { forbidWithout, readItem } from './without.ts';

/** What {@link ServedRequests} needs. */
export interface ServedRequestsOptions {
  readonly source: StatusSource;
  readonly reads: BoundedReads;
  readonly reviews: Reviews;
  readonly watches: Watches;
  readonly now: () => number;
  readonly bounds?: AnswerBounds | undefined;
}

/** One request of a served resource. */
interface Asked<T> {
  readonly served: ServedResource<T>;
  readonly presenter: Presenter<T>;
  readonly target: Target;
  readonly user: User;
  readonly request: ApiRequest;
}

function includedObject(query: URLSearchParams): IncludedObject {
  const wanted = query.get('includeObject');
  return wanted === 'None' || wanted === 'Object' ? wanted : 'Metadata';
}

function scopeOf(
  { names }: { readonly names: { readonly namespaced: boolean } },
  namespace: string,
): Scope {
  if (!names.namespaced) return 'cluster';
  return namespace === '' ? 'all-namespaces' : { namespace };
}

/** Answers gets, lists and watches of the resources that are served. */
export class ServedRequests {
  readonly #options: ServedRequestsOptions;

  constructor(options: ServedRequestsOptions) {
    this.#options = options;
  }

  /**
   * Answers a request.
   *
   * @throws StatusError; what the source throws
   */
  answer(target: Target, user: User, request: ApiRequest): Promise<ApiAnswer> {
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

  async #get<T>(
    { served, presenter, target, user, request }: Asked<T>,
    name: string,
  ): Promise<ApiAnswer> {
    const { source, reads, reviews } = this.#options;
    const { namespace = '' } = target;
    const { plural } = served.names;
    await reviews.require(user, { verb: 'get', group: GROUP, resource: plural, namespace, name });
    const itemName = { namespace, name };
    const absent = notFound({ group: GROUP, resource: plural }, name);
    if (served.workloads !== undefined) {
      const workload = served.workloads.named(itemName);
      if (workload === undefined) throw absent;
      await reviews.require(user, { verb: 'get', ...workload });
    }
    const { signal, query } = request;
    const revision = await source.revision(signal);
    const reader = { user: user.username, signal };
    const item = await readItem({ served, reads, itemName, query }, reader);
    if (item === undefined) throw absent;
    return jsonAnswer(presenter.one(item, revision));
  }

  async #collection<T>(asked: Asked<T>): Promise<ApiAnswer> {
    const { served, target, user, request } = asked;
    const { namespace = '' } = target;
    if (served.readWithout !== undefined) forbidWithout(request.query);
    const options = parseListOptions(request.query, served);
    const verb = isWatch(request.query) ? 'watch' : 'list';
    const name = selectedName(options.selector) ?? '';
    const access = { verb, group: GROUP, resource: served.names.plural, namespace, name };
    await this.#options.reviews.require(user, access);
    return verb === 'watch' ? this.#watch(asked, options) : this.#list(asked, options);
  }

  /** What lists and watches have in common. The resources of the workload objects have been reviewed. */
  async #begin<T>(
    { served, presenter, target, user, request }: Asked<T>,
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<WatchRequest<T>> {
    const { namespace = '' } = target;
    const { selector } = options;
    const scope = scopeOf(served, namespace);
    // As for the resource itself, an API server reviews the name that a field selector requires.
    const selected = selectedName(selector);
    const only =
      selected === undefined ? undefined : served.workloads?.named({ namespace, name: selected });
    const readable = new Readable(this.#options.reviews, user, { scope, name: only?.name ?? '' });
    const { source } = this.#options;
    if (served.workloads !== undefined)
      await reviewScope({ source, readable }, { scope, selector }, request.signal);
    const reader = { user: user.username, signal };
    return { served, presenter, scope, readable, options, reader };
  }

  async #list<T>(asked: Asked<T>, options: ListOptions): Promise<ApiAnswer> {
    const { source, reads, bounds, now } = this.#options;
    const begin = await this.#begin(asked, options, asked.request.signal);
    const text = listText({ source, reads, bounds, now, ...begin });
    const headers = { 'content-type': JSON_TYPE, ...warningOf(begin.readable.hidden()) };
    return { code: 200, headers, body: await begun(text), isStream: false };
  }

  #watch<T>(asked: Asked<T>, options: ListOptions): Promise<ApiAnswer> {
    const { user, request } = asked;
    const reader = { user: user.username, signal: request.signal };
    return this.#options.watches.begin(reader, async (signal) => {
      const begin = await this.#begin(asked, options, signal);
      await checkRevision(this.#options.source, options, request.signal);
      return begin;
    });
  }
}
