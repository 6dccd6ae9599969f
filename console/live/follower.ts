import { type ReadonlySignal, signal } from '@preact/signals';
import type { ApiObject } from '#console/model/api-objects.ts';
import { ApiProblem, listPages, NotConnected, type WatchEvent, watchEvents } from './client.ts';

/** How far a follower is. */
export type Phase =
  /** Nothing is known yet. */
  | { readonly type: 'loading' }
  | { readonly type: 'live' }
  /** The API does not answer. What is shown was true at `sinceMs`. */
  | {
      readonly type: 'lost';
      readonly sinceMs: number;
      readonly nextTryMs: number;
      /** What a server on the way says about it. Absent if nothing answers. */
      readonly said?: string;
    }
  /** The API has refused. What was read before, if anything was, was true at `sinceMs`. */
  | {
      readonly type: 'refused';
      readonly error: Error;
      readonly nextTryMs: number;
      /** Absent if nothing has been read. */
      readonly sinceMs?: number;
    };

/** What to follow. */
export interface FollowerOptions<T extends ApiObject, Row> {
  /** `/apis/…/wecstatuses` */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** What is kept of an object. */
  readonly rowOf: (object: T) => Row;
  /** Lists again after this time instead of watching, in milliseconds. For what is no change, such as a heartbeat. */
  readonly everyMs?: number;
  /** Whether this window may watch now. If it may not, it lists again instead. Default: it may. */
  readonly mayWatch?: () => boolean;
  /** Keeps no object: what has changed is only told. For lists that are too long to be read. */
  readonly onlyChanges?: true;
  /** Whether an object says something else than before. If absent, what another list finds is not noted as changed. */
  readonly isChanged?: (before: Row, now: Row) => boolean;
  /** Called with what has changed after the first list. */
  readonly onChange?: (row: Row) => void;
}

/** What is shown does not change while it is held. */
export interface Hold {
  readonly held: ReadonlySignal<boolean>;
  /** Called with the number of changes that are kept back. */
  keepBack(changes: number): void;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;
/** Changes are shown together, so that 200 in a second are ten drawings and not 200. */
const GATHER_MS = 100;
/** The time between two lists where there is no watch, or where this window may not watch. */
const LIST_MS = 5_000;
/** There are no watches here: on AWS, nothing runs for long. */
const NO_WATCH = 405;

/** The key of an object among those of its kind. */
export function keyOf({ metadata: { namespace = '', name } }: ApiObject): string {
  return `${namespace}/${name}`;
}

/** Keeps the objects of a list as they are now: it lists, watches, and begins anew whenever that ends. */
export class Follower<T extends ApiObject, Row> {
  readonly #options: FollowerOptions<T, Row>;
  readonly #hold: Hold;
  readonly #phase = signal<Phase>({ type: 'loading' });
  readonly #shown = signal<ReadonlyMap<string, Row>>(new Map());
  readonly #changes = signal<ReadonlyMap<string, number>>(new Map());
  readonly #warnings = signal<readonly string[]>([]);
  #items = new Map<string, Row>();
  #changed = new Map<string, number>();
  #stopping = new AbortController();
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #retry: (() => void) | undefined;
  #kept = 0;
  #sequence = 0;
  #revisionRead = 0;
  readonly #revision = signal(0);
  readonly #isRead = signal(false);
  readonly #isWatching = signal(false);
  #canWatch = true;

  constructor(options: FollowerOptions<T, Row>, hold: Hold) {
    this.#options = options;
    this.#hold = hold;
  }

  get phase(): ReadonlySignal<Phase> {
    return this.#phase;
  }

  get path(): string {
    return this.#options.path;
  }

  /** The revision of what is shown. 0 if nothing is. */
  get revision(): ReadonlySignal<number> {
    return this.#revision;
  }

  /** Whether all objects have been read at least once. */
  get isRead(): ReadonlySignal<boolean> {
    return this.#isRead;
  }

  /** Whether changes are told as they happen, instead of being found in the next list. */
  get isWatching(): ReadonlySignal<boolean> {
    return this.#isWatching;
  }

  /** The objects by their keys. */
  get shown(): ReadonlySignal<ReadonlyMap<string, Row>> {
    return this.#shown;
  }

  /** What the server has warned of in the last list, such as objects that are left out. */
  get warnings(): ReadonlySignal<readonly string[]> {
    return this.#warnings;
  }

  /** By key, a number that is another one with each change after the first list. */
  get changes(): ReadonlySignal<ReadonlyMap<string, number>> {
    return this.#changes;
  }

  /** Begins, or goes on after {@link stop}. */
  start(): void {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    void this.#run(this.#stopping.signal);
  }

  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  /** Does not wait any longer for the next try. */
  retryNow(): void {
    this.#retry?.();
  }

  /** Shows what was kept back. */
  release(): void {
    this.#kept = 0;
    this.#show();
  }

  async #run(stop: AbortSignal): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!stop.aborted) {
      try {
        const revision = await this.#list(stop);
        retryMs = FIRST_RETRY_MS;
        await this.#follow(revision, stop);
      } catch (error) {
        if (stop.aborted) return;
        this.#fail(error, retryMs);
        await this.#pause(retryMs, stop);
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  /** Whether anything is shown that was read, or changes are told. */
  #hasRead(): boolean {
    const before = this.#phase.peek();
    return before.type === 'live' || 'sinceMs' in before || this.#shown.peek().size > 0;
  }

  #fail(error: unknown, retryMs: number): void {
    const nextTryMs = Date.now() + retryMs;
    const before = this.#phase.peek();
    const sinceMs = ('sinceMs' in before ? before.sinceMs : undefined) ?? Date.now();
    if (!(error instanceof NotConnected)) {
      const shown = error instanceof Error ? error : new Error(String(error));
      const since = this.#hasRead() ? { sinceMs } : {};
      this.#phase.value = { type: 'refused', error: shown, nextTryMs, ...since };
      return;
    }
    const said = error.said === undefined ? {} : { said: error.said };
    this.#phase.value = { type: 'lost', sinceMs, nextTryMs, ...said };
  }

  async #list(stop: AbortSignal): Promise<string> {
    const { path, query = {}, rowOf, onlyChanges } = this.#options;
    if (onlyChanges) return this.#listNothing(stop);
    const found = new Map<string, Row>();
    const warnings = new Set<string>();
    let revision: string | undefined;
    for await (const page of listPages<T>(path, query, stop)) {
      revision ??= page.revision;
      for (const item of page.items) found.set(keyOf(item), rowOf(item));
      for (const warning of page.warnings) warnings.add(warning);
      // What was shown before stays until all is known again.
      if (this.#isRead.peek()) continue;
      this.#items = found;
      this.#show();
    }
    stop.throwIfAborted();
    if (this.#isRead.peek()) this.#noteChanges(found);
    this.#items = found;
    this.#reached(revision);
    this.#warnings.value = [...warnings];
    this.#phase.value = { type: 'live' };
    this.#show();
    this.#isRead.value = true;
    return revision ?? '';
  }

  /** Notes a revision: a number, which may have more digits than another one. */
  #reached(revision = ''): void {
    this.#revisionRead = Math.max(this.#revisionRead, Number(revision) || 0);
  }

  /** Notes what another list has found, as a watch tells of it. */
  #noteChanges(found: ReadonlyMap<string, Row>): void {
    const { isChanged } = this.#options;
    if (isChanged === undefined) return;
    for (const [key, row] of found) {
      const before = this.#items.get(key);
      if (before === undefined || isChanged(before, row)) this.#note(key, row);
    }
  }

  #note(key: string, row: Row): void {
    this.#sequence += 1;
    this.#kept += 1;
    this.#changed.set(key, this.#sequence);
    this.#options.onChange?.(row);
  }

  /** The present revision. The API has none without a list, so this is the shortest. */
  async #listNothing(stop: AbortSignal): Promise<string> {
    const { path, query = {} } = this.#options;
    const pages = listPages<T>(path, { ...query, limit: '1' }, stop);
    const { value: page } = await pages.next();
    stop.throwIfAborted();
    this.#phase.value = { type: 'live' };
    return page?.revision ?? '';
  }

  async #follow(resourceVersion: string, stop: AbortSignal): Promise<void> {
    const { path, query = {}, everyMs, mayWatch = () => true } = this.#options;
    if (everyMs !== undefined) return this.#pause(everyMs, stop);
    if (!this.#canWatch || !mayWatch()) return this.#pause(LIST_MS, stop);
    const from = { ...query, resourceVersion, allowWatchBookmarks: 'true' };
    const beganMs = Date.now();
    try {
      this.#isWatching.value = true;
      await this.#watch(watchEvents<T>(path, from, stop));
    } catch (error) {
      this.#isWatching.value = false;
      if (!(error instanceof ApiProblem) || error.code !== NO_WATCH) throw error;
      this.#canWatch = false;
      return;
    }
    // What ends every watch at once, such as a proxy on the way, is not asked again and again.
    if (Date.now() - beganMs < FIRST_RETRY_MS) await this.#pause(FIRST_RETRY_MS, stop);
  }

  async #watch(events: AsyncIterable<WatchEvent<T>>): Promise<void> {
    for await (const event of events) {
      // The revision is too old, or the watch cannot go on: a list shows the rest.
      if (event.type === 'ERROR') return;
      this.#take(event);
    }
  }

  #take({ type, object }: WatchEvent<T>): void {
    this.#reached(object.metadata.resourceVersion);
    if (type === 'BOOKMARK') return;
    const { rowOf, onChange, onlyChanges } = this.#options;
    const key = keyOf(object);
    const row = rowOf(object);
    if (onlyChanges) {
      if (type === 'DELETED') return;
      if (this.#hold.held.peek()) this.#hold.keepBack(1);
      onChange?.(row);
      return;
    }
    if (type === 'DELETED') {
      this.#items.delete(key);
      this.#kept += 1;
    } else {
      this.#items.set(key, row);
      this.#note(key, row);
    }
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#show();
    }, GATHER_MS);
  }

  /** Shows what is known. Changes are kept back while the user holds them. What is shown for the first time is no change. */
  #show(): void {
    if (this.#hold.held.peek() && this.#isRead.peek()) {
      this.#hold.keepBack(this.#kept);
      this.#kept = 0;
      return;
    }
    this.#kept = 0;
    this.#revision.value = this.#revisionRead;
    this.#shown.value = new Map(this.#items);
    this.#changes.value = new Map(this.#changed);
  }

  #pause(ms: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        stop.removeEventListener('abort', end);
        this.#retry = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      stop.addEventListener('abort', end);
      this.#retry = end;
    });
  }
}
