import { createConcurrencyLimit } from '#shared/concurrency.ts';
import type { Discovery, ResourceApi } from '#shared/ports/kubernetes-api.ts';

/** Listings at a time: each holds a page in memory, and a connection. */
const MAX_LISTINGS = 8;

/** So old an answer of discovery may be. */
const FRESH_MS = 1_000;

/** One answer of discovery for all who ask at the same time, and for a second. */
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
      // Who asks may be told to stop meanwhile, and that is no answer for others.
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
 * One cluster for all who follow something of it over one connection: however many resources they follow, discovery is
 * asked at most once a second, and 8 resources are listed at a time.
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
