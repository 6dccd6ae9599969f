import { withBoundedDepth } from '#shared/core/bounded-depth.ts';
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
import {
  keyOf,
  type ReflectorOptions,
  type ReflectorPhase,
  type ReflectorState,
} from './reflection.ts';
import { type Presence, presenceOf } from './served-versions.ts';

/** The number of watches that fail in a row without an event before everything is listed again. */
const FAILURES_BEFORE_RELIST = 10;

/** The maximum interval between checks whether a resource that was given up may be listed by now. */
const FORBIDDEN_MS = 5 * 60_000;

/**
 * The number of refusals in a row before an optional resource is given up. This takes about a minute, as long as a restart may
 * take.
 */
const REFUSALS_BEFORE_EMPTY = 9;

/**
 * The number of refusals in a row before an optional resource of which no object is known is given up, if another resource
 * of the cluster is watched at the time of each. The server then knows the role, so the refusal is not that of a server that starts.
 */
const REFUSALS_BESIDE_A_WATCH = 4;

/** The reason why nothing is listed. A resource that is served in another version still has its objects. */
type Emptiness = 'not-served' | 'forbidden' | 'other-version';

/** The replacement for a listed object that has been reported. */
const NOTHING: JsonObject = {};

/**
 * Follows one resource forever. It lists the resource and watches it from there. If a watch ends, it watches again from the
 * last version that it has seen. If that version is too old, it lists again. A relist also reports the objects that were
 * deleted meanwhile.
 */
export class Reflector {
  readonly #api: ResourceApi;
  readonly #waiting: Waiting;
  readonly #options: ReflectorOptions;
  readonly #known = new Set<string>();
  /** The version from which a watch continues. `undefined`: list first. */
  #resourceVersion: string | undefined;
  #listings = 0;
  #watches = 0;
  #errors = 0;
  #relistsAsked = 0;
  #synced = false;
  #unserved = false;
  /** The number of failures in a row. */
  #failures = 0;
  /** The number of refusals at the end of that row. A server that restarts may refuse requests after it was down. */
  #refusals = 0;
  /** The number of refusals at the end of that row while another resource was watched. */
  #refusalsBesideWatch = 0;
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

  /** The keys of the objects that exist, as far as they were reported. */
  keys(): readonly string[] {
    return [...this.#known];
  }

  /** Lists everything again, as after a watch from a version that was too old. */
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
    // A server that ends watches at once and sends nothing must not be called in a tight loop.
    if (!heard && !signal.aborted) await this.#waiting.sleep(this.#backoff(1), signal);
    this.#failures = 0;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { resource, selection } = this.#options;
    const asked = this.#relistsAsked;
    const listed = new Set<string>();
    if (this.#failures === 0) this.#setPhase('listing');
    // Each object is reported as soon as its page has been read, and is then dropped.
    const reduce = (object: JsonObject): JsonObject => {
      listed.add(keyOf(object));
      this.#learn(object, this.#listings > 0);
      return NOTHING;
    };
    const { resourceVersion } = await this.#api.list(resource, { ...selection, reduce }, signal);
    this.#unserved = false;
    this.#refusals = 0;
    this.#endListing(listed, asked);
    // A relist that was requested meanwhile is still pending.
    if (asked === this.#relistsAsked) this.#resourceVersion = resourceVersion;
    this.#setPhase('connecting');
  }

  /**
   * @param listed the keys of all objects that exist
   * @param asked the number of requested relists when the listing began. If a relist was requested since, the listing is not
   *   complete.
   */
  #endListing(listed: ReadonlySet<string>, asked: number): void {
    for (const key of [...this.#known]) if (!listed.has(key)) this.#forget(key);
    this.#listings += 1;
    this.#synced = asked === this.#relistsAsked;
    const { unserved: _, ...before } = this.#state;
    // The state is set first: a listener of the report must not take a resource that is not served for one without objects.
    this.#state = { ...before, synced: this.#synced, ...this.#served() };
    // The report precedes the phase, so a listener that waits for the phase knows that this was another listing.
    this.#options.onReflection({ type: 'synced' });
  }

  /** Runs one watch to its end. Returns whether the server sent any event. */
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
    // After a relist was requested, the remaining events of the watch are dropped. The list contains their changes.
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
    // The listener may have requested a relist.
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
    const isBesideWatch = isRefusal && this.#options.isOtherWatched?.() === true;
    this.#refusalsBesideWatch = isBesideWatch ? this.#refusalsBesideWatch + 1 : 0;
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const reason = messageOf(error);
    // A relist that is requested from here on ends the pause.
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

  /** The time to wait, in milliseconds: as long as the server requests, and longer if a retry has little chance. */
  #pauseAfter(error: unknown, empty: Emptiness | undefined): number {
    const { random } = this.#waiting;
    if (empty === 'forbidden') return FORBIDDEN_MS * (1 - random() / 2);
    const asked = error instanceof ApiUnavailableError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    return Math.max(asked, this.#backoff(this.#failures));
  }

  /**
   * Whether a watch failed in a way that requires a list: the version is too old, or is refused as such, or the resource is
   * gone, or too many attempts have failed in a row. A server that was restored from a backup has older versions than the
   * reflector has seen, and refuses those versions forever.
   */
  #isOutdated(error: unknown): boolean {
    return (
      error instanceof ResourceExpiredError ||
      error instanceof ApiInvalidError ||
      error instanceof ApiNotFoundError ||
      this.#failures >= FAILURES_BEFORE_RELIST
    );
  }

  /** The kind of emptiness of a resource after a failed listing. `undefined`: nothing is known of the resource. */
  async #emptyBy(error: unknown, signal: AbortSignal): Promise<Emptiness | undefined> {
    if (error instanceof ApiNotFoundError) {
      const presence = this.#unserved ? 'left-out' : await this.#presence(signal);
      if (presence === 'other-version') return presence;
      return presence === 'left-out' ? 'not-served' : undefined;
    }
    return this.#options.optional === true && this.#isRefused() ? 'forbidden' : undefined;
  }

  /** Whether the role does not allow to read the resource, as far as refusals show. */
  #isRefused(): boolean {
    if (this.#state.phase === 'forbidden' && this.#refusals > 0) return true;
    const isSoon = this.#known.size === 0 && this.#refusalsBesideWatch >= REFUSALS_BESIDE_A_WATCH;
    return isSoon || this.#refusals >= REFUSALS_BEFORE_EMPTY;
  }

  /** The answer of discovery. A 404 alone may come from a proxy without a server behind it. */
  async #presence(signal: AbortSignal): Promise<Presence> {
    try {
      return presenceOf(this.#options.resource, await this.#api.discover(signal));
    } catch {
      return 'unknown'; // The failure of the listing is the one that is reported.
    }
  }

  /**
   * A resource that is not served has no objects: its CustomResourceDefinition is gone, or is not there yet. A resource that
   * may not be read counts as empty too. Otherwise its last known objects would be reported forever.
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
