import { Turns } from '#shared/concurrency.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { JSON_TYPE } from './answers.ts';
import type { ApiAnswer } from './api-request.ts';
import type { BoundedReads } from './bounded-reads.ts';
import { ChangeFeed } from './change-feed.ts';
import type { Failure } from './failure.ts';
import type { Reader } from './fair-limit.ts';
import { createIntern } from './known-names.ts';
import { NO_WATCH } from './list-messages.ts';
import { pacedSource } from './paced.ts';
import { type GiveBack, Places } from './places.ts';
import { warningOf } from './readable.ts';
import { SharedLines } from './shared-lines.ts';
import { StatusError } from './status-error.ts';
import { watchLines } from './watch.ts';
import type { SharedWatchParts, WatchRequest } from './watch-events.ts';

/** What {@link Watches} needs. */
export interface WatchesOptions {
  readonly source: StatusSource;
  readonly reads: BoundedReads;
  readonly failure: Failure;
  /** Called with errors that the client did not cause. */
  readonly onError: (error: unknown) => void;
  /** Whether watches are served. Where nothing runs for long, they are not. */
  readonly watch: boolean;
  /** The time between two bookmarks, in milliseconds. */
  readonly bookmarkMs?: number | undefined;
  /** The time between two readings of what is costly to read and changes all the time, in milliseconds. */
  readonly paceMs?: number | undefined;
  /** How many watches there may be at a time. */
  readonly maxWatches?: number | undefined;
}

const BOOKMARK_MS = 60_000;
const PACE_MS = 500;
/** A watch that cannot follow such changes reads them at once. */
const MAX_PACED = 4;
const MAX_WATCHES = 1_000;
/** One user may have a part of all watches: one of so many. */
const USERS = 4;

async function* until(end: GiveBack, lines: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* lines;
  } finally {
    end();
  }
}

/** The watches of a process. */
export class Watches {
  readonly #parts: SharedWatchParts;
  readonly #places: Places;
  readonly #closing = new AbortController();
  readonly #isServed: boolean;

  constructor(options: WatchesOptions) {
    const { source, reads, failure, onError, watch } = options;
    const { bookmarkMs = BOOKMARK_MS, paceMs = PACE_MS, maxWatches = MAX_WATCHES } = options;
    this.#isServed = watch;
    this.#places = new Places({
      what: 'watches',
      max: maxWatches,
      ofOneUser: Math.max(Math.floor(maxWatches / USERS), 1),
    });
    const pace = { paceMs, spentMs: () => reads.spentOnCostlyMs };
    const paced = { source: pacedSource(source, pace), onError, maxShared: MAX_PACED };
    this.#parts = {
      source,
      reads,
      failure,
      bookmarkMs,
      feed: new ChangeFeed({ source, onError }),
      pacedFeed: new ChangeFeed(paced),
      intern: createIntern(),
      lines: new SharedLines(),
      turns: new Turns(),
    };
  }

  /** Ends every watch in good order, so that clients watch again. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Begins a watch for a user who may watch. It has a place before anything is read for it, until it ends or its client goes.
   *
   * @param prepare reads what it needs. The signal aborts when the watch ends
   * @throws StatusError 405 where no watches are served, 429 if there is no place for it; what `prepare` throws
   */
  async begin<T>(
    { user, signal }: Reader,
    prepare: (signal: AbortSignal) => Promise<WatchRequest<T>>,
  ): Promise<ApiAnswer> {
    if (!this.#isServed) throw new StatusError({ code: 405, reason: 'MethodNotAllowed' }, NO_WATCH);
    signal.throwIfAborted();
    const giveBack = this.#places.take(user);
    const end = (): void => {
      signal.removeEventListener('abort', end);
      giveBack();
    };
    // Of a client that goes before the first line, nobody reads the lines to their end.
    signal.addEventListener('abort', end);
    try {
      await this.#parts.turns.next();
      const request = await prepare(AbortSignal.any([signal, this.#closing.signal]));
      const headers = { 'content-type': JSON_TYPE, ...warningOf(request.readable.hidden()) };
      const body = until(end, watchLines(this.#parts, request));
      return { code: 200, headers, body, isStream: true };
    } catch (error) {
      end();
      throw error;
    }
  }
}
