import { at, type JsonObject } from '#shared/core/json.ts';
import {
  ApiInvalidError,
  ApiNotFoundError,
  ApiUnavailableError,
  ResourceExpiredError,
} from '#shared/errors.ts';
import type { Resource, ResourceApi, Selection, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { backoffMs, type Waiting } from './backoff.ts';

/** Watches that break one after the other without a word, before everything is listed anew. */
const FAILURES_BEFORE_RELIST = 10;

/** What a reflector tells of a resource. `key` is `<namespace>/<name>`, unique within the resource. */
export type Reflection =
  | { readonly type: 'added' | 'modified'; readonly key: string; readonly object: JsonObject }
  | { readonly type: 'deleted'; readonly key: string }
  /** A full listing has been told; `relist`: not the first one. */
  | { readonly type: 'synced'; readonly relist: boolean };

/**
 * `listing`, `connecting` (listed, the watch is not accepted yet) and `watching`: that is being done. `waiting`: it
 * failed, and is tried again until it succeeds. `not-served`: the API server does not know the resource; that is being
 * looked at again.
 */
export type ReflectorPhase = 'listing' | 'connecting' | 'watching' | 'waiting' | 'not-served';

/** How a reflector is. */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** Whether everything that was listed and watched so far makes a whole: false until the end of a listing. */
  readonly synced: boolean;
  /** The API server's last word was that it does not know the resource; also while it does not answer at all. */
  readonly unserved?: true;
  /** Why it waits. */
  readonly error?: string;
}

/** What a reflector follows, and whom it tells. */
export interface ReflectorOptions {
  readonly resource: Resource;
  readonly selection: Selection;
  readonly onReflection: (reflection: Reflection) => void;
  readonly onState: (state: ReflectorState) => void;
}

/** `<namespace>/<name>` of an object, `''` for the namespace of a cluster-scoped one. */
function keyOf(object: JsonObject): string {
  const namespace = at(object, 'metadata', 'namespace');
  const name = at(object, 'metadata', 'name');
  return `${typeof namespace === 'string' ? namespace : ''}/${String(name)}`;
}

/**
 * Follows one resource for ever: lists it, watches it from there, watches on from the last version seen when a watch
 * ends, and lists anew when that version is too old. A relist tells of what has gone meanwhile.
 */
export class Reflector {
  readonly #api: ResourceApi;
  readonly #waiting: Waiting;
  readonly #options: ReflectorOptions;
  readonly #known = new Set<string>();
  /** Where a watch continues; `undefined`: list first. */
  #resourceVersion: string | undefined;
  #listings = 0;
  #synced = false;
  #unserved = false;
  #failures = 0;
  #state: ReflectorState = { phase: 'listing', synced: false };

  constructor(api: ResourceApi, waiting: Waiting, options: ReflectorOptions) {
    this.#api = api;
    this.#waiting = waiting;
    this.#options = options;
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** The keys of the objects that stand, as far as was told. */
  keys(): readonly string[] {
    return [...this.#known];
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#resourceVersion ??= await this.#list(signal);
        const heard = await this.#watch(this.#resourceVersion, signal);
        // A server that ends watches at once, and says nothing, must not be asked in a tight loop.
        if (!heard && !signal.aborted) await this.#waiting.sleep(this.#backoff(1), signal);
        this.#failures = 0;
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { resource, selection } = this.#options;
    if (this.#failures === 0) this.#setPhase('listing');
    const list = await this.#api.list(resource, selection, signal);
    this.#unserved = false;
    this.#replaceAll(list.items);
    return list.resourceVersion;
  }

  #replaceAll(items: readonly JsonObject[]): void {
    const listed = new Set(items.map(keyOf));
    for (const key of [...this.#known]) if (!listed.has(key)) this.#forget(key);
    for (const object of items) this.#learn(object);
    this.#listings += 1;
    this.#synced = true;
    // First the word, then the state: who waits for the state then knows that this was another listing.
    this.#options.onReflection({ type: 'synced', relist: this.#listings > 1 });
    this.#setPhase('connecting');
  }

  /** One watch to its end; whether the server said anything in it. */
  async #watch(resourceVersion: string, signal: AbortSignal): Promise<boolean> {
    const { resource, selection } = this.#options;
    let heard = false;
    const onOpen = (): void => {
      if (this.#state.phase !== 'watching') this.#setPhase('watching');
    };
    const onEvent = (event: WatchEvent): void => {
      heard = true;
      this.#failures = 0;
      this.#apply(event);
    };
    await this.#api.watch(resource, { ...selection, resourceVersion, onEvent, onOpen }, signal);
    return heard;
  }

  #apply(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') {
      this.#resourceVersion = event.resourceVersion;
      return;
    }
    if (event.type === 'DELETED') this.#forget(keyOf(event.object));
    else this.#learn(event.object);
    const seen = at(event.object, 'metadata', 'resourceVersion');
    if (typeof seen === 'string') this.#resourceVersion = seen;
  }

  #learn(object: JsonObject): void {
    const key = keyOf(object);
    const type = this.#known.has(key) ? 'modified' : 'added';
    this.#known.add(key);
    this.#options.onReflection({ type, key, object });
  }

  #forget(key: string): void {
    if (this.#known.delete(key)) this.#options.onReflection({ type: 'deleted', key });
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const listing = this.#resourceVersion === undefined;
    this.#failures += 1;
    if (listing && error instanceof ApiNotFoundError) this.#becomeEmpty(reason);
    else {
      if (!listing && this.#isOutdated(error)) {
        this.#resourceVersion = undefined;
        this.#synced = false;
      }
      this.#setPhase('waiting', reason);
    }
    const asked = error instanceof ApiUnavailableError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    await this.#waiting.sleep(Math.max(asked, this.#backoff(this.#failures)), signal);
  }

  /**
   * Whether a watch failed so that only a list can help: the version is too old, or refused as such, or the resource is
   * gone. A server that came back from a backup is older than what was seen of it, and refuses that version for ever.
   */
  #isOutdated(error: unknown): boolean {
    return (
      error instanceof ResourceExpiredError ||
      error instanceof ApiInvalidError ||
      error instanceof ApiNotFoundError ||
      this.#failures >= FAILURES_BEFORE_RELIST
    );
  }

  /** A resource that is not served has no objects: its CustomResourceDefinition is gone, or not there yet. */
  #becomeEmpty(reason: string): void {
    this.#unserved = true;
    if (!this.#synced || this.#known.size > 0) this.#replaceAll([]);
    this.#setPhase('not-served', reason);
  }

  #backoff(failures: number): number {
    return backoffMs(failures, this.#waiting.random);
  }

  #setPhase(phase: ReflectorPhase, error?: string): void {
    this.#state = {
      phase,
      synced: this.#synced,
      ...(this.#unserved ? { unserved: true } : {}),
      ...(error === undefined ? {} : { error }),
    };
    this.#options.onState(this.#state);
  }
}
