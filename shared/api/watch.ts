import type { StatusPage } from '#shared/ports/status-source.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ItemRequest } from './served-resource.ts';
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
      // Reads end with the watch.
      if (!this.#hasEnded) yield watchLine('ERROR', this.#parts.failure(error).toStatus());
    } finally {
      stop();
      leave();
    }
  }

  #startTimers(): () => void {
    const { options, reader } = this.#request;
    const { bookmarkMs } = this.#parts;
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
    const { signal } = reader;
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    return () => {
      clearTimeout(ending);
      clearInterval(marking);
      signal.removeEventListener('abort', end);
    };
  }

  async *#begin(): AsyncGenerator<string> {
    const { resourceVersion = 0, sendInitialEvents, allowWatchBookmarks } = this.#request.options;
    const { source } = this.#parts;
    const now = await source.revision();
    const isInitial = sendInitialEvents ?? resourceVersion === 0;
    this.#events.position = isInitial || resourceVersion === 0 ? now : resourceVersion;
    for await (const items of this.#all(now)) {
      // Hundreds of watches may have the same page at the same time.
      await this.#parts.turns.next();
      this.#events.has(items);
      if (isInitial) yield this.#added(items, now);
    }
    // What was just read may be as new as that.
    if (!isInitial) this.#events.uncertainUntil = await source.revision();
    if (sendInitialEvents === true && allowWatchBookmarks) yield this.#bookmark(true);
  }

  #added(items: readonly T[], revision: number): string {
    const key = `${revision} ${this.#request.presenter.key}`;
    return this.#parts.lines.of(items, key, () =>
      items.map((item) => this.#events.line('ADDED', item, revision)).join(''),
    );
  }

  /** Everything that the request selects, page by page, as it is at a revision or later. */
  async *#all(since: number): AsyncGenerator<readonly T[]> {
    const { served, scope, readable, options, reader } = this.#request;
    const { rights } = readable;
    const everything: ItemRequest = {
      ...{ scope, selector: options.selector, limit: PAGE_SIZE },
      readable: (resource) => readable.has(resource),
    };
    let after: string | undefined;
    do {
      const request = after === undefined ? everything : { ...everything, after };
      const asked = { request, rights, since };
      const page: StatusPage<T> = await this.#parts.reads.sharedPage(served, asked, reader);
      if (page.items.length > 0) yield page.items;
      after = page.next;
    } while (after !== undefined && !this.#hasEnded);
  }

  async *#next(): AsyncGenerator<string> {
    const { signal } = this.#request.reader;
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
