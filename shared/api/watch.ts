import type { StatusPage } from '#shared/ports/status-source.ts';
import type { ChangeFeed } from './change-feed.ts';
import { Waker } from './waker.ts';
import {
  type SharedWatchParts,
  WatchEvents,
  type WatchRequest,
  watchLine,
} from './watch-events.ts';

const DEFAULT_SECONDS = 1_800;
/** A watch asks for permission when it begins, so it must not last for ever. */
const MAX_SECONDS = 3_600;
const PAGE_SIZE = 500;

/** The changes of the objects of one request, as lines of JSON. */
class Watch<T> {
  readonly #parts: SharedWatchParts;
  readonly #request: WatchRequest<T>;
  readonly #events: WatchEvents<T>;
  readonly #waker = new Waker();
  #isBookmarkDue = false;
  #hasEnded = false;

  constructor(parts: SharedWatchParts, request: WatchRequest<T>) {
    this.#parts = parts;
    this.#request = request;
    this.#events = new WatchEvents(parts, request, () => this.#hasEnded);
  }

  get #feed(): ChangeFeed {
    const { feed, pacedFeed } = this.#parts;
    return this.#request.served.isCostly === true ? pacedFeed : feed;
  }

  async *lines(): AsyncGenerator<string> {
    const stop = this.#startTimers();
    let leave = (): void => undefined;
    try {
      leave = await this.#feed.join(this.#waker.wake);
      yield* this.#begin();
      while (!this.#hasEnded) yield* this.#next();
    } catch (error) {
      yield watchLine('ERROR', this.#parts.failure(error).toStatus());
    } finally {
      stop();
      leave();
    }
  }

  #startTimers(): () => void {
    const { options, signal } = this.#request;
    const { closing, bookmarkMs } = this.#parts;
    const end = (): void => {
      this.#hasEnded = true;
      this.#waker.wake();
    };
    const seconds = Math.min(options.timeoutSeconds ?? DEFAULT_SECONDS, MAX_SECONDS);
    const ending = setTimeout(end, seconds * 1_000);
    const marking = setInterval(() => {
      this.#isBookmarkDue = options.allowWatchBookmarks;
      this.#waker.wake();
    }, bookmarkMs);
    const signals = [signal, closing];
    for (const one of signals) one.addEventListener('abort', end);
    if (signals.some(({ aborted }) => aborted)) end();
    return () => {
      clearTimeout(ending);
      clearInterval(marking);
      for (const one of signals) one.removeEventListener('abort', end);
    };
  }

  async *#begin(): AsyncGenerator<string> {
    const { resourceVersion = 0, sendInitialEvents, allowWatchBookmarks } = this.#request.options;
    const { source } = this.#parts;
    const now = await source.revision();
    const isInitial = sendInitialEvents ?? resourceVersion === 0;
    this.#events.position = isInitial || resourceVersion === 0 ? now : resourceVersion;
    for await (const items of this.#all()) {
      this.#events.has(items);
      if (isInitial) yield items.map((item) => this.#events.line('ADDED', item, now)).join('');
    }
    // What was just read may be as new as that.
    if (!isInitial) this.#events.uncertainUntil = await source.revision();
    if (sendInitialEvents === true && allowWatchBookmarks) yield this.#bookmark(true);
  }

  /** Everything that the request selects, page by page. */
  async *#all(): AsyncGenerator<readonly T[]> {
    const { served, scope, readable, options, signal } = this.#request;
    const selection = { scope, selector: options.selector };
    let after: string | undefined;
    do {
      const page: StatusPage<T> = await served.page(
        this.#parts.source,
        {
          ...selection,
          limit: PAGE_SIZE,
          readable: (resource) => readable.has(resource),
          ...(after === undefined ? {} : { after }),
        },
        signal,
      );
      if (page.items.length > 0) yield page.items;
      after = page.next;
    } while (after !== undefined && !this.#hasEnded);
  }

  async *#next(): AsyncGenerator<string> {
    const { signal } = this.#request;
    const changes = await this.#feed.after(this.#events.position, signal);
    if (changes === 'expired') throw this.#events.expired();
    if (changes !== 'none') yield* this.#events.of(changes);
    else if (this.#isBookmarkDue) {
      this.#isBookmarkDue = false;
      yield this.#bookmark(false);
    } else await this.#waker.sleep();
  }

  #bookmark(isInitialEnd: boolean): string {
    return watchLine(
      'BOOKMARK',
      this.#request.presenter.bookmark(this.#events.position, isInitialEnd),
    );
  }
}

/**
 * The lines of a watch, until the client has gone, the time is over or the server ends. A line is made when it is asked for.
 */
export function watchLines<T>(
  parts: SharedWatchParts,
  request: WatchRequest<T>,
): AsyncGenerator<string> {
  return new Watch(parts, request).lines();
}
