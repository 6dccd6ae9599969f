import { InvalidContinuationError } from '#shared/errors.ts';
import type { PageRequest, StatusPage } from '#shared/ports/status-source.ts';

/** Sorts before every character of a name. */
const END = '\0';

/** The key of a name: in the order of (namespace, name), by code units. */
export function sortKey(namespace: string, name: string): string {
  return `${namespace}${END}${name}`;
}

/** Items in the order of their keys, of which pages are read. */
export class SortedItems<T> {
  readonly #items: readonly (readonly [key: string, item: T])[];
  readonly #byKey: ReadonlyMap<string, T>;

  constructor(items: Iterable<readonly [key: string, item: T]>) {
    this.#byKey = new Map(items);
    this.#items = [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  /** @throws InvalidContinuationError if `after` is no `next` of a page */
  page({ limit, after }: PageRequest, isWanted: (item: T) => boolean): StatusPage<T> {
    if (after !== undefined && !after.includes(END)) throw new InvalidContinuationError();
    const rest = this.#items.filter(
      ([key, item]) => (after === undefined || key > after) && isWanted(item),
    );
    const items = rest.slice(0, limit);
    const last = items.at(-1)?.[0];
    const hasMore = rest.length > limit && last !== undefined;
    return { items: items.map(([, item]) => item), ...(hasMore ? { next: last } : {}) };
  }
}
