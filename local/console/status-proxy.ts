import { errorAnswer } from '#shared/api/answers.ts';
import type { ApiAnswer, ApiRequest, ServedApi } from '#shared/api/api-request.ts';
import type { Failure } from '#shared/api/failure.ts';
import { clientGone, methodNotAllowed, unknownResource } from '#shared/api/status-error.ts';
import { statusPath } from './paths.ts';
import { proxied, type Upstream } from './upstream.ts';

/** What {@link StatusProxy} needs. */
export interface StatusProxyOptions {
  /** A server of the API of what each WEC reports, with the credentials of the user. */
  readonly upstream: Upstream;
  readonly failure: Failure;
}

/** The API of what each WEC reports, as another server answers it. It reads, and posts queries. */
export class StatusProxy implements ServedApi {
  readonly #options: StatusProxyOptions;
  readonly #closing = new AbortController();

  constructor(options: StatusProxyOptions) {
    this.#options = options;
  }

  close(): void {
    this.#closing.abort();
  }

  async handle(request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#proxied(request);
    } catch (error) {
      return errorAnswer(request.signal.aborted ? clientGone() : this.#options.failure(error));
    }
  }

  async #proxied(request: ApiRequest): Promise<ApiAnswer> {
    await request.authenticate();
    const target = statusPath(request.path);
    if (target === undefined) throw unknownResource();
    const { path, isQuery } = target;
    if (request.method !== 'GET' && !(request.method === 'POST' && isQuery))
      throw methodNotAllowed();
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    return proxied(this.#options.upstream, path, { ...request, signal });
  }
}
