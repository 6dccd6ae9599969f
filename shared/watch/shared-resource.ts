import { unlessAborted } from '#shared/concurrency.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import { ResourceExpiredError } from '#shared/errors.ts';
import type {
  ObjectList,
  Resource,
  ResourceApi,
  Selection,
  WatchEvent,
} from '#shared/ports/kubernetes-api.ts';
import { LINGER_MS, type Waiting } from './backoff.ts';
import { HeldObjects } from './held-objects.ts';
import { keyOf } from './reflection.ts';
import { type WatchOptions, WatchReader } from './watch-reader.ts';

/** The maximum age of a listing, or of the end of a watch, for a reader that lists to be answered from memory. */
const FRESH_MS = 1_000;

/** The number of objects that one reader receives in one turn. Other readers have their turns in between. */
const IN_ONE_TURN = 500;

const NOTHING: JsonObject = {};

/** The dependencies of sharing a resource. */
export interface SharingDeps extends Pick<Waiting, 'sleep'> {
  readonly api: ResourceApi;
  /** Milliseconds, on any clock. */
  readonly now: () => number;
}

/** The only watch of the cluster. */
interface Upstream {
  isOpen: boolean;
  /** Fulfilled when the server has accepted the watch, or the watch has ended. */
  readonly settled: PromiseWithResolvers<void>;
}

/**
 * One selection of one resource for all its readers: one list, one watch, and each object once in memory. Every reader lists
 * and watches it like an API server, fails if the server fails, and retries by itself. A reader that lists while the watch is
 * open is answered from memory.
 */
export class SharedResource {
  readonly #deps: SharingDeps;
  readonly #resource: Resource;
  readonly #selection: Selection;
  readonly #onUnread: () => void;
  readonly #stopping = new AbortController();
  readonly #readers = new Set<WatchReader>();
  #held: HeldObjects | undefined;
  /** The last time at which the held objects were known to be those of the server, while no watch is open. */
  #freshAt = Number.NEGATIVE_INFINITY;
  #upstream: Upstream | undefined;
  #listing: Promise<void> | undefined;
  /** The number of readers that are listing. */
  #lists = 0;
  #lingering = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  /** @param onUnread called after there was no reader for some minutes; the shared resource then stops */
  constructor(
    deps: SharingDeps,
    { resource, selection }: { readonly resource: Resource; readonly selection: Selection },
    onUnread: () => void,
  ) {
    this.#deps = deps;
    this.#resource = resource;
    this.#selection = selection;
    this.#onUnread = onUnread;
  }

  /** Like {@link ResourceApi.list}. */
  async list(
    { reduce = (object) => object }: Selection,
    signal: AbortSignal | undefined,
  ): Promise<ObjectList> {
    this.#lists += 1;
    this.#lingering.abort();
    try {
      const held = await unlessAborted(this.#current(), signal);
      const { version: resourceVersion } = held;
      const items: JsonObject[] = [];
      for (const object of held.all()) {
        if (items.length % IN_ONE_TURN === IN_ONE_TURN - 1)
          await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
        items.push(reduce(object));
      }
      return { resourceVersion, items };
    } finally {
      this.#lists -= 1;
      this.#leave();
    }
  }

  /** Like {@link ResourceApi.watch}. */
  async watch(options: WatchOptions, signal: AbortSignal | undefined): Promise<void> {
    const missed = this.#held?.since(options.resourceVersion);
    if (missed === undefined)
      throw new ResourceExpiredError(`watch ${resourceName(this.#resource)}`);
    if (signal?.aborted) return;
    const reader = new WatchReader(options);
    const leave = (): void => reader.end();
    signal?.addEventListener('abort', leave);
    this.#readers.add(reader);
    this.#lingering.abort();
    try {
      for (const event of missed) reader.notify(event);
      if (this.#upstream?.isOpen) reader.opened();
      else this.#open();
      await reader.ended;
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#readers.delete(reader);
      this.#leave();
    }
  }

  /** Stops the shared resource and all its readers. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([this.#ended, this.#listing]);
  }

  /** The held objects, after they are known to be those of the server. */
  async #current(): Promise<HeldObjects> {
    for (;;) {
      while (this.#upstream?.isOpen === false) await this.#upstream.settled.promise;
      const isFresh = this.#deps.now() - this.#freshAt < FRESH_MS;
      if (this.#held !== undefined && (this.#upstream !== undefined || isFresh)) return this.#held;
      this.#listing ??= this.#list().finally(() => {
        this.#listing = undefined;
      });
      await this.#listing;
    }
  }

  async #list(): Promise<void> {
    const objects = new Map<string, JsonObject>();
    const reduce = (object: JsonObject): JsonObject => {
      objects.set(keyOf(object), object);
      return NOTHING;
    };
    const { resourceVersion } = await this.#deps.api.list(
      this.#resource,
      { ...this.#selection, reduce },
      this.#stopping.signal,
    );
    // A reader has come back meanwhile. Its watch may have newer objects than this listing.
    if (this.#upstream !== undefined) return;
    this.#held = new HeldObjects(objects, resourceVersion);
    this.#freshAt = this.#deps.now();
  }

  /** Opens a watch from the version of the held objects, if there is none. */
  #open(): void {
    const held = this.#held;
    if (held === undefined || this.#upstream !== undefined) return;
    const upstream: Upstream = { isOpen: false, settled: Promise.withResolvers() };
    this.#upstream = upstream;
    const onOpen = (): void => {
      upstream.isOpen = true;
      upstream.settled.resolve();
      for (const reader of [...this.#readers]) reader.opened();
    };
    const onEvent = (event: WatchEvent): void => {
      held.apply(event);
      for (const reader of [...this.#readers]) reader.notify(event);
    };
    this.#ended = this.#deps.api
      .watch(
        this.#resource,
        { ...this.#selection, resourceVersion: held.version, onEvent, onOpen },
        this.#stopping.signal,
      )
      .then(
        () => this.#close(upstream),
        (error: unknown) => this.#close(upstream, { error }),
      );
  }

  #close({ settled }: Upstream, failure?: { readonly error: unknown }): void {
    this.#upstream = undefined;
    settled.resolve();
    this.#freshAt = failure === undefined ? this.#deps.now() : Number.NEGATIVE_INFINITY;
    for (const reader of [...this.#readers]) reader.end(failure?.error);
  }

  /** Handles a reader that has left. If no reader comes for some minutes, the shared resource ends. */
  #leave(): void {
    const { signal: stopped } = this.#stopping;
    if (this.#readers.size > 0 || this.#lists > 0 || stopped.aborted) return;
    const lingering = new AbortController();
    this.#lingering = lingering;
    const signal = AbortSignal.any([lingering.signal, stopped]);
    void this.#deps.sleep(LINGER_MS, signal).then(() => {
      if (signal.aborted) return;
      this.#onUnread();
      this.#stopping.abort();
    });
  }
}
