import { createConcurrencyLimit } from '#shared/concurrency.ts';
import type { Discovery, ResourceApi } from '#shared/ports/kubernetes-api.ts';

/** The number of listings at a time. Each holds a page in memory, and a connection. */
const MAX_LISTINGS = 8;

/** The maximum age of an answer of discovery. */
const FRESH_MS = 1_000;

/** Shares one answer of discovery between all callers at the same time, and for a second. */
class SharedDiscovery {
  readonly #api: Pick<ResourceApi, 'discover'>;
  readonly #now: () => number;
  #answer: { readonly discovery: Discovery; readonly at: number } | undefined;
  #asking:
    | { readonly answer: Promise<Discovery>; readonly signal: AbortSignal | undefined }
    | undefined;

  constructor(api: Pick<ResourceApi, 'discover'>, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  async discover(signal: AbortSignal | undefined): Promise<Discovery> {
    const answer = this.#answer;
    if (answer !== undefined && Math.abs(this.#now() - answer.at) < FRESH_MS)
      return answer.discovery;
    const asking = this.#asking;
    if (asking === undefined) return this.#ask(signal);
    return asking.answer.catch((error: unknown) => {
      // The caller of the shared request may have been aborted meanwhile. That is no answer for the other callers.
      if (asking.signal?.aborted === true && signal?.aborted !== true) return this.discover(signal);
      throw error;
    });
  }

  async #ask(signal: AbortSignal | undefined): Promise<Discovery> {
    const answer = this.#api.discover(signal).finally(() => {
      this.#asking = undefined;
    });
    this.#asking = { answer, signal };
    const discovery = await answer;
    this.#answer = { discovery, at: this.#now() };
    return discovery;
  }
}

/**
 * One cluster for all followers that share one connection. Regardless of the number of followed resources, discovery is
 * requested at most once a second, and 8 resources are listed at a time.
 *
 * @param now milliseconds, on any clock
 */
export function sharedCluster(api: ResourceApi, now: () => number): ResourceApi {
  const discovery = new SharedDiscovery(api, now);
  const limited = createConcurrencyLimit(MAX_LISTINGS);
  return {
    discover: (signal) => discovery.discover(signal),
    list: (resource, selection, signal) => limited(() => api.list(resource, selection, signal)),
    watch: (resource, options, signal) => api.watch(resource, options, signal),
  };
}
