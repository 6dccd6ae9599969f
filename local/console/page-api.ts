import { errorAnswer, jsonAnswer } from '#shared/api/answers.ts';
import type { ApiAnswer, ApiRequest, ServedApi } from '#shared/api/api-request.ts';
import type { Failure } from '#shared/api/failure.ts';
import { clientGone, methodNotAllowed } from '#shared/api/status-error.ts';
import { isObject, type JsonObject, member, parseJson } from '#shared/core/json.ts';
import { OPENAPI_ROOT, wdsPath } from './paths.ts';
import { proxied, type Upstream } from './upstream.ts';

/** What {@link PageApi} needs. */
export interface PageApiOptions {
  /** The API of what each WEC reports. */
  readonly statuses: ServedApi;
  /**
   * The WDS with the credentials of who sends a request.
   *
   * @throws StatusError if there is none for the request
   */
  readonly wds: (request: ApiRequest) => Upstream;
  readonly failure: Failure;
}

async function textOf({ body }: ApiAnswer): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(piece);
  return pieces.join('');
}

/** The documents that an answer of {@link OPENAPI_ROOT} lists. None if it is something else. */
async function listedDocuments(answer: ApiAnswer): Promise<JsonObject> {
  const text = await textOf(answer);
  if (answer.code !== 200) return {};
  const paths = member(parseJson(text), 'paths');
  return isObject(paths) ? paths : {};
}

/**
 * All that the page reads, at one address: the API of what each WEC reports, and of the WDS the CombinedStatuses and the
 * documents of OpenAPI, under Kubernetes' own paths. Of the WDS nothing else can be asked, and nothing can be written.
 */
export class PageApi implements ServedApi {
  readonly #options: PageApiOptions;
  readonly #closing = new AbortController();

  constructor(options: PageApiOptions) {
    this.#options = options;
  }

  close(): void {
    this.#closing.abort();
    this.#options.statuses.close();
  }

  async handle(request: ApiRequest): Promise<ApiAnswer> {
    const path = wdsPath(request.path);
    if (path === undefined) return this.#options.statuses.handle(request);
    try {
      return await (path === OPENAPI_ROOT
        ? this.#openApiRoot(request)
        : this.#ofWds(path, request));
    } catch (error) {
      return errorAnswer(request.signal.aborted ? clientGone() : this.#options.failure(error));
    }
  }

  async #ofWds(path: string, request: ApiRequest): Promise<ApiAnswer> {
    await request.authenticate();
    if (request.method !== 'GET') throw methodNotAllowed();
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    return proxied(this.#options.wds(request), path, { ...request, signal });
  }

  /** The documents of both. Without an answer of the WDS, those of Starfold's own group. */
  async #openApiRoot(request: ApiRequest): Promise<ApiAnswer> {
    const own = await this.#options.statuses.handle(request);
    if (own.code !== 200) return own;
    const documents = await listedDocuments(own);
    const others = await this.#ofWds(OPENAPI_ROOT, request)
      .then(listedDocuments)
      .catch(() => ({}));
    return jsonAnswer({ paths: { ...others, ...documents } });
  }
}
