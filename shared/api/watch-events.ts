import type { Turns } from '#shared/concurrency.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { EVERYTHING, selects } from '#shared/core/status-api/selector.ts';
import type {
  Changed,
  Changes,
  Scope,
  StatusPage,
  StatusSource,
} from '#shared/ports/status-source.ts';
import { type Effect, effectsOf } from './affected.ts';
import type { BoundedReads } from './bounded-reads.ts';
import type { ChangeFeed } from './change-feed.ts';
import { ClientObjects } from './client-objects.ts';
import type { Failure } from './failure.ts';
import type { Reader } from './fair-limit.ts';
import { jsonText } from './json-text.ts';
import type { Intern } from './known-names.ts';
import { expiredVersion } from './list-messages.ts';
import { type ListOptions, selectedName } from './list-options.ts';
import type { Presenter } from './presentation.ts';
import type { Readable } from './readable.ts';
import type { Affected, ItemName, ItemRequest, ServedResource } from './served-resource.ts';
import type { SharedLines } from './shared-lines.ts';
import { expired, type StatusError } from './status-error.ts';

/** What all watches of a server share. */
export interface SharedWatchParts {
  readonly source: StatusSource;
  readonly feed: ChangeFeed;
  /** The same changes, told less often: of resources that are costly to read. */
  readonly pacedFeed: ChangeFeed;
  readonly reads: BoundedReads;
  readonly intern: Intern;
  readonly failure: Failure;
  readonly lines: SharedLines;
  /** Watches begin in turns, and what they are told of at first is written in turns, page by page. */
  readonly turns: Turns;
  /** The time between two bookmarks, in milliseconds. */
  readonly bookmarkMs: number;
}

/** One watch. */
export interface WatchRequest<T> {
  readonly served: ServedResource<T>;
  readonly presenter: Presenter<T>;
  readonly scope: Scope;
  readonly readable: Readable;
  readonly options: ListOptions;
  /** Its signal aborts when the client has gone, or when the server ends. */
  readonly reader: Reader;
}

const PAGE_SIZE = 500;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One line of a watch. */
export function watchLine(type: EventType, object: JsonObject): string {
  return `${jsonText({ type, object })}\n`;
}

function isIn(scope: Scope, namespace: string): boolean {
  if (scope === 'cluster') return namespace === '';
  return scope === 'all-namespaces' ? namespace !== '' : namespace === scope.namespace;
}

function scopeOf(namespace: string): Scope {
  return namespace === '' ? 'cluster' : { namespace };
}

/** Turns changes of a source into the events of one watch, relative to what its client has. */
export class WatchEvents<T> {
  readonly #parts: SharedWatchParts;
  readonly #request: WatchRequest<T>;
  readonly #client: ClientObjects<T>;
  readonly #hasEnded: () => boolean;
  /** Everything up to this revision has been sent. */
  position = 0;
  /**
   * Up to this revision it is not known what the client has: it has listed at an earlier revision, which is no longer there to be
   * read. An object that has changed since is ADDED again if it is selected, and DELETED if it is not. If objects may have been
   * removed whose names nobody knows any more, the client has to list again.
   */
  uncertainUntil = 0;
  /** Whether that applies to the changes that are being sent. Each is the last of its name, which may have changed before. */
  #isUncertain = false;

  /** @param hasEnded whether the client needs no more events */
  constructor(parts: SharedWatchParts, request: WatchRequest<T>, hasEnded: () => boolean) {
    this.#parts = parts;
    this.#request = request;
    this.#client = new ClientObjects(request.served, parts.intern);
    this.#hasEnded = hasEnded;
  }

  /** Objects that the client has from the beginning. Those that have changed since it listed are uncertain. */
  has(items: readonly T[]): void {
    for (const item of items) this.#client.put(this.#request.served.nameOf(item), item);
  }

  /** The events of some changes, as lines. */
  async *of({ changed, revision }: Changes): AsyncGenerator<string> {
    this.#isUncertain = this.position < this.uncertainUntil;
    for (const effect of effectsOf(this.#request.served, changed)) {
      yield* this.#effect(effect);
      if (this.#hasEnded()) return;
      this.position = effect.change.revision;
    }
    this.position = revision;
  }

  #effect({ affected, change }: Effect): AsyncGenerator<string> {
    const { scope } = this.#request;
    switch (affected.type) {
      case 'one':
        return this.#one(affected.name, change);
      case 'some':
        return this.#some({ scope, selector: affected.selector }, change);
      case 'sent':
        return this.#some({ scope, selector: EVERYTHING, wecs: affected.wecs }, change);
      case 'found':
        return this.#found(affected, change);
      case 'family':
        return this.#family(affected, change);
    }
  }

  async *#one(name: ItemName, change: Changed): AsyncGenerator<string> {
    const { served, scope, reader } = this.#request;
    if (!isIn(scope, name.namespace)) return;
    const { revision } = change;
    const item = await this.#parts.reads.sharedItem(served, { name, since: revision }, reader);
    yield* this.#event({ name, item }, revision);
  }

  /**
   * Until all of them are sent, their events have the revision before the change, because a client that is cut off in between must
   * get the others when it continues.
   */
  async *#some(
    place: Omit<ItemRequest, 'limit' | 'after' | 'readable'>,
    change: Changed,
    missing: Set<string> = new Set(),
  ): AsyncGenerator<string> {
    for await (const items of this.#affected(place, change))
      for (const item of items) {
        const name = this.#request.served.nameOf(item);
        missing.delete(name.name);
        yield* this.#event({ name, item }, this.position);
      }
  }

  /** What the client would find now if it listed again, and does not have. */
  async *#found(
    { fields, namespace, selector }: Extract<Affected, { readonly type: 'found' }>,
    change: Changed,
  ): AsyncGenerator<string> {
    const { scope, options } = this.#request;
    if (!isIn(scope, namespace)) return;
    const wanted = options.selector.fields.filter(({ field }) => fields.includes(field));
    if (wanted.length === 0) return;
    const found = { ...selector, fields: [...selector.fields, ...wanted] };
    for await (const items of this.#affected(
      { scope: scopeOf(namespace), selector: found },
      change,
    ))
      for (const item of items) {
        const name = this.#request.served.nameOf(item);
        if (this.#client.has(name)) continue;
        yield* this.#event({ name, item }, this.position);
      }
  }

  async *#family(
    { selector, family, namespace }: Extract<Affected, { readonly type: 'family' }>,
    change: Changed,
  ): AsyncGenerator<string> {
    if (!isIn(this.#request.scope, namespace)) return;
    if (this.#isUncertain) throw this.expired();
    const missing = new Set(this.#client.names(family));
    yield* this.#some({ scope: scopeOf(namespace), selector }, change, missing);
    if (this.#hasEnded()) return;
    for (const name of missing)
      yield* this.#event({ name: { namespace, name }, item: undefined }, this.position);
  }

  /**
   * The objects that a change affects. They are read once for all watches, so not with the rights of one: what the reader may not read
   * is left out later.
   */
  async *#affected(
    place: Omit<ItemRequest, 'limit' | 'after' | 'readable'>,
    change: Changed,
  ): AsyncGenerator<readonly T[]> {
    const { served, reader } = this.#request;
    const everything: ItemRequest = { ...place, limit: PAGE_SIZE, readable: () => true };
    let after: string | undefined;
    do {
      const request = after === undefined ? everything : { ...everything, after };
      const asked = { request, rights: '', since: change.revision };
      const page: StatusPage<T> = await this.#parts.reads.sharedPage(served, asked, reader);
      yield page.items;
      after = page.next;
    } while (after !== undefined && !this.#hasEnded());
  }

  /** Whether the reader may read an object. The resources of new kinds of objects are reviewed when they come. */
  async #mayRead(name: ItemName, item: T | undefined): Promise<boolean> {
    const { workloads } = this.#request.served;
    if (workloads === undefined) return true;
    const workload = item === undefined ? workloads.named(name) : workloads.of(item);
    if (workload === undefined) return false;
    const { readable } = this.#request;
    await readable.review([workload]);
    return readable.hasObject(workload);
  }

  async *#event(
    { name, item }: { readonly name: ItemName; readonly item: T | undefined },
    revision: number,
  ): AsyncGenerator<string> {
    const { served, options } = this.#request;
    // A watch of one name may have been allowed for this name alone, so it is told of no other object.
    const only = selectedName(options.selector);
    if (only !== undefined && only !== name.name) return;
    if (!(await this.#mayRead(name, item))) return;
    if (item !== undefined && selects(options.selector, served.selectable(item)))
      yield* this.#present(name, item, revision);
    else yield* this.#absent(name, item, revision);
  }

  *#present(name: ItemName, item: T, revision: number): Generator<string> {
    const news = this.#client.put(name, item);
    if (news === 'new' || this.#isUncertain) yield this.line('ADDED', item, revision);
    else if (news === 'changed') yield this.line('MODIFIED', item, revision);
  }

  *#absent(name: ItemName, item: T | undefined, revision: number): Generator<string> {
    const had = this.#client.delete(name);
    const last = item ?? this.#request.served.gone(name);
    if ((had || this.#isUncertain) && last !== undefined)
      yield this.line('DELETED', last, revision);
  }

  /** The error that makes the client list again. */
  expired(): StatusError {
    return expired(expiredVersion(this.position));
  }

  /** The line of an event. */
  line(type: EventType, item: T, revision: number): string {
    return watchLine(type, this.#request.presenter.one(item, revision));
  }
}
