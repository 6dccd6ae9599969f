import type { StatusPage, StatusSource } from '#shared/ports/status-source.ts';
import { FairLimit, type Reader } from './fair-limit.ts';
import type { ItemName, ItemRequest, ServedResource } from './served-resource.ts';
import { SharedReads } from './shared-reads.ts';

/** A page of rows has up to 8 MiB. */
const MAX_PAGES = 4;
/** An explanation is folded from up to 64 MiB of rows, and so is a page of explanations. */
const MAX_EXPLANATIONS = 2;
/** An object is one row. */
const MAX_ITEMS = 64;

/** Reads something of the source. */
type Read<T> = (source: StatusSource, signal: AbortSignal) => Promise<T>;

/** A page that watches share. */
export interface SharedPageRequest {
  readonly request: ItemRequest;
  /** Identifies what `readable` of the request allows. */
  readonly rights: string;
  /** It must be read after this revision. */
  readonly since: number;
}

/**
 * The reads of a process: so many pages, explanations and objects at a time. Users take turns. An explanation and a page of them
 * are the same here, because a page ends after as many rows as one explanation may have.
 */
export class BoundedReads {
  readonly #source: StatusSource;
  readonly #pages = new FairLimit(MAX_PAGES);
  readonly #explanations = new FairLimit(MAX_EXPLANATIONS);
  readonly #items = new FairLimit(MAX_ITEMS);
  readonly #shared = new SharedReads();
  /** The reads of explanations that go on. */
  readonly #costly = new Set<{ readonly at: number }>();
  #spentOnCostlyMs = 0;

  constructor(source: StatusSource) {
    this.#source = source;
  }

  /** How long the reads of explanations have taken in all, and those that go on until now, in milliseconds. */
  get spentOnCostlyMs(): number {
    const now = performance.now();
    const running = [...this.#costly].reduce((sum, begun) => sum + now - begun.at, 0);
    return this.#spentOnCostlyMs + running;
  }

  async #timed<R>({ isCostly }: { readonly isCostly?: true }, read: () => Promise<R>): Promise<R> {
    if (isCostly !== true) return read();
    const begun = { at: performance.now() };
    this.#costly.add(begun);
    try {
      return await read();
    } finally {
      this.#costly.delete(begun);
      this.#spentOnCostlyMs += performance.now() - begun.at;
    }
  }

  #itemLimit<T>({ isCostly }: ServedResource<T>): FairLimit {
    return isCostly === true ? this.#explanations : this.#items;
  }

  #pageLimit<T>({ isCostly }: ServedResource<T>): FairLimit {
    return isCostly === true ? this.#explanations : this.#pages;
  }

  /** Reads an object for one reader. */
  item<T>(
    served: ServedResource<T>,
    read: Read<T | undefined>,
    reader: Reader,
  ): Promise<T | undefined> {
    return this.#itemLimit(served).run(reader, (signal) =>
      this.#timed(served, () => read(this.#source, signal)),
    );
  }

  /** Reads a page for one reader. */
  page<T>(served: ServedResource<T>, request: ItemRequest, reader: Reader): Promise<StatusPage<T>> {
    const limit = this.#pageLimit(served);
    return limit.run(reader, (signal) =>
      this.#timed(served, () => served.page(this.#source, request, signal)),
    );
  }

  /** Reads an object for watches: once for all that need it after the same revision or an earlier one. */
  async sharedItem<T>(
    served: ServedResource<T>,
    { name, since }: { readonly name: ItemName; readonly since: number },
    reader: Reader,
  ): Promise<T | undefined> {
    const key = `${name.namespace}/${name.name}`;
    const limit = this.#itemLimit(served);
    const read = async (signal: AbortSignal): Promise<StatusPage<T>> => {
      const item = await this.#timed(served, () => served.read(this.#source, name, signal));
      return { items: item === undefined ? [] : [item] };
    };
    const { items } = await this.#shared.read(served, { key, since, limit, read }, reader);
    return items[0];
  }

  /** Reads a page for watches: once for all that need it after the same revision or an earlier one. */
  sharedPage<T>(
    served: ServedResource<T>,
    { request, rights, since }: SharedPageRequest,
    reader: Reader,
  ): Promise<StatusPage<T>> {
    const key = JSON.stringify([request, rights]);
    const limit = this.#pageLimit(served);
    const read = (signal: AbortSignal) =>
      this.#timed(served, () => served.page(this.#source, request, signal));
    return this.#shared.read(served, { key, since, limit, read }, reader);
  }
}
