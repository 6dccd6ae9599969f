import type { JsonObject } from '#shared/core/json.ts';
import {
  ApiForbiddenError,
  ApiInvalidError,
  ApiNotFoundError,
  ApiUnavailableError,
  messageOf,
  ResourceExpiredError,
} from '#shared/errors.ts';
import type { ResourceApi, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { backoffMs, type Waiting } from './backoff.ts';
import { withBoundedDepth } from './bounded-depth.ts';
import {
  keyOf,
  type ReflectorOptions,
  type ReflectorPhase,
  type ReflectorState,
} from './reflection.ts';
import { type Presence, presenceOf } from './served-versions.ts';

/** Watches that break one after the other without a word, before everything is listed anew. */
const FAILURES_BEFORE_RELIST = 10;

/** How often is looked, at most, whether a resource may be listed by now that was given up. */
const FORBIDDEN_MS = 5 * 60_000;

/** Refusals one after the other before an optional resource is given up: about a minute, which a restart may take. */
const REFUSALS_BEFORE_EMPTY = 9;

/** Why nothing is listed; what is served in another version has its objects all the same. */
type Emptiness = 'not-served' | 'forbidden' | 'other-version';

/** What is kept of a listed object that has been told. */
const NOTHING: JsonObject = {};

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
  #watches = 0;
  #errors = 0;
  #relistsAsked = 0;
  #synced = false;
  #unserved = false;
  /** In a row. */
  #failures = 0;
  /** Of those, the last ones in a row that were refusals: a server that starts again refuses after it was down. */
  #refusals = 0;
  #watching: AbortController | undefined;
  #pausing: AbortController | undefined;
  #state: ReflectorState;

  constructor(api: ResourceApi, waiting: Waiting, options: ReflectorOptions) {
    this.#api = api;
    this.#waiting = waiting;
    this.#options = options;
    for (const key of options.known ?? []) this.#known.add(key);
    this.#state = this.#stateIn('listing');
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** The keys of the objects that stand, as far as was told. */
  keys(): readonly string[] {
    return [...this.#known];
  }

  /** Lists everything anew, as after a watch that was too old. */
  relist(): void {
    this.#relistsAsked += 1;
    this.#resourceVersion = undefined;
    this.#synced = false;
    this.#state = { ...this.#state, synced: false };
    this.#watching?.abort();
    this.#pausing?.abort();
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) await this.#list(signal);
        else await this.#follow(this.#resourceVersion, signal);
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
  }

  async #follow(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const heard = await this.#watch(resourceVersion, signal);
    // A server that ends watches at once, and says nothing, must not be asked in a tight loop.
    if (!heard && !signal.aborted) await this.#waiting.sleep(this.#backoff(1), signal);
    this.#failures = 0;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { resource, selection } = this.#options;
    const asked = this.#relistsAsked;
    const listed = new Set<string>();
    if (this.#failures === 0) this.#setPhase('listing');
    // Each object is told as soon as its page has been read, and then forgotten.
    const reduce = (object: JsonObject): JsonObject => {
      listed.add(keyOf(object));
      this.#learn(object, this.#listings > 0);
      return NOTHING;
    };
    const { resourceVersion } = await this.#api.list(resource, { ...selection, reduce }, signal);
    this.#unserved = false;
    this.#refusals = 0;
    this.#endListing(listed, asked);
    // A relist that was asked for meanwhile is still to come.
    if (asked === this.#relistsAsked) this.#resourceVersion = resourceVersion;
    this.#setPhase('connecting');
  }

  /**
   * @param listed the keys of all objects that there are
   * @param asked how many relists had been asked for when the listing began: what came before a later one is no whole
   */
  #endListing(listed: ReadonlySet<string>, asked: number): void {
    for (const key of [...this.#known]) if (!listed.has(key)) this.#forget(key);
    this.#listings += 1;
    this.#synced = asked === this.#relistsAsked;
    const { unserved: _, ...before } = this.#state;
    // Whoever hears the word must not take what is not served for something without objects.
    this.#state = { ...before, synced: this.#synced, ...this.#served() };
    // First the word, then the phase: who waits for the phase then knows that this was another listing.
    this.#options.onReflection({ type: 'synced' });
  }

  /** One watch to its end; whether the server said anything in it. */
  async #watch(resourceVersion: string, signal: AbortSignal): Promise<boolean> {
    const { resource, selection } = this.#options;
    let heard = false;
    const watching = new AbortController();
    this.#watching = watching;
    const onOpen = (): void => {
      this.#watches += 1;
      this.#refusals = 0;
      if (this.#state.phase !== 'watching') this.#setPhase('watching');
    };
    const onEvent = (event: WatchEvent): void => {
      heard = true;
      this.#failures = 0;
      this.#apply(event);
    };
    // What is left of a watch after a relist was asked for comes in the list as well.
    const onCurrent = (event: WatchEvent): void => {
      if (!watching.signal.aborted) onEvent(event);
    };
    await this.#api.watch(
      resource,
      { ...selection, resourceVersion, onEvent: onCurrent, onOpen },
      AbortSignal.any([signal, watching.signal]),
    );
    return heard || watching.signal.aborted;
  }

  #apply(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') {
      this.#resourceVersion = event.resourceVersion;
      return;
    }
    const asked = this.#relistsAsked;
    if (event.type === 'DELETED') this.#forget(keyOf(event.object));
    else this.#learn(event.object, false);
    // Whoever was told may have asked for a relist.
    if (asked === this.#relistsAsked) this.#resourceVersion = event.resourceVersion;
  }

  #learn(object: JsonObject, relisted: boolean): void {
    const key = keyOf(object);
    const type = this.#known.has(key) ? 'modified' : 'added';
    this.#known.add(key);
    this.#options.onReflection({ type, key, object: withBoundedDepth(object), relisted });
  }

  #forget(key: string): void {
    if (this.#known.delete(key)) this.#options.onReflection({ type: 'deleted', key });
  }

  #count(error: unknown): void {
    this.#failures += 1;
    this.#errors += 1;
    const isRefusal = error instanceof ApiForbiddenError && !error.unauthenticated;
    this.#refusals = isRefusal ? this.#refusals + 1 : 0;
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const reason = messageOf(error);
    // A relist that is asked for from here on ends the pause.
    this.#pausing = new AbortController();
    const ended = AbortSignal.any([signal, this.#pausing.signal]);
    this.#count(error);
    const empty =
      this.#resourceVersion === undefined ? await this.#emptyBy(error, signal) : undefined;
    if (empty === 'other-version') this.#setPhase('not-served', reason);
    else if (empty !== undefined) this.#becomeEmpty(empty, reason);
    else {
      if (this.#resourceVersion !== undefined && this.#isOutdated(error)) {
        this.#resourceVersion = undefined;
        this.#synced = false;
      }
      this.#setPhase('waiting', reason);
    }
    await this.#waiting.sleep(this.#pauseAfter(error, empty), ended);
  }

  /** How long to wait, in milliseconds: as long as the server asks for, and longer where waiting has no hope. */
  #pauseAfter(error: unknown, empty: Emptiness | undefined): number {
    const { random } = this.#waiting;
    if (empty === 'forbidden') return FORBIDDEN_MS * (1 - random() / 2);
    const asked = error instanceof ApiUnavailableError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    return Math.max(asked, this.#backoff(this.#failures));
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

  /** As what a resource counts as empty after a listing that failed; `undefined`: nothing is known of it. */
  async #emptyBy(error: unknown, signal: AbortSignal): Promise<Emptiness | undefined> {
    if (error instanceof ApiNotFoundError) {
      const presence = this.#unserved ? 'left-out' : await this.#presence(signal);
      if (presence === 'other-version') return presence;
      return presence === 'left-out' ? 'not-served' : undefined;
    }
    const isGivenUp = this.#options.optional === true && this.#refusals >= REFUSALS_BEFORE_EMPTY;
    return isGivenUp ? 'forbidden' : undefined;
  }

  /** What discovery says, too: what answers 404 may be a proxy without a server behind it. */
  async #presence(signal: AbortSignal): Promise<Presence> {
    try {
      return presenceOf(this.#options.resource, await this.#api.discover(signal));
    } catch {
      return 'unknown'; // The failure that is told of is the listing's.
    }
  }

  /**
   * A resource that is not served has no objects: its CustomResourceDefinition is gone, or not there yet. Of one that may
   * not be seen nothing is told either, rather than for ever what it was once.
   */
  #becomeEmpty(phase: 'not-served' | 'forbidden', reason: string): void {
    this.#unserved = phase === 'not-served';
    if (!this.#synced || this.#known.size > 0) this.#endListing(new Set(), this.#relistsAsked);
    this.#setPhase(phase, reason);
  }

  #backoff(failures: number): number {
    return backoffMs(failures, this.#waiting.random);
  }

  #setPhase(phase: ReflectorPhase, error?: string): void {
    this.#state = this.#stateIn(phase, error);
    this.#options.onState(this.#state);
  }

  #served(): Pick<ReflectorState, 'unserved'> {
    return this.#unserved ? { unserved: true } : {};
  }

  #stateIn(phase: ReflectorPhase, error?: string): ReflectorState {
    return {
      phase,
      synced: this.#synced,
      ...this.#served(),
      ...(error === undefined ? {} : { error }),
      listings: this.#listings,
      watches: this.#watches,
      failures: this.#errors,
    };
  }
}
