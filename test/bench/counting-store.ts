import type {
  Delete,
  Item,
  ItemKey,
  ItemStore,
  Page,
  Put,
  Query,
} from '#shared/ports/item-store.ts';
import { RANGE } from '#shared/state/keys.ts';

/** A store that counts which items are read, and the time spent in its calls. */
export class CountingStore implements ItemStore {
  rows = 0;
  parts = 0;
  /** All items that were read, these among them, and all that were put. */
  read = 0;
  written = 0;
  /** Milliseconds in calls, from the first to begin to the last to end where several overlap. */
  spentMs = 0;
  readonly #inner: ItemStore;
  #running = 0;
  #beganAt = 0;

  constructor(inner: ItemStore) {
    this.#inner = inner;
  }

  reset(): void {
    this.rows = 0;
    this.parts = 0;
    this.read = 0;
    this.written = 0;
    this.spentMs = 0;
  }

  get(keys: readonly ItemKey[]): Promise<readonly (Item | undefined)[]> {
    return this.#timed(async () => {
      const items = await this.#inner.get(keys);
      this.#count(items.filter((item) => item !== undefined));
      return items;
    });
  }

  query(query: Query): Promise<Page> {
    return this.#timed(async () => {
      const page = await this.#inner.query(query);
      this.#count(page.items);
      return page;
    });
  }

  put(puts: readonly Put[]): Promise<readonly boolean[]> {
    this.written += puts.length;
    return this.#timed(() => this.#inner.put(puts));
  }

  delete(deletes: readonly Delete[]): Promise<readonly boolean[]> {
    return this.#timed(() => this.#inner.delete(deletes));
  }

  async #timed<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running === 0) this.#beganAt = performance.now();
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.spentMs += performance.now() - this.#beganAt;
    }
  }

  #count(items: readonly Item[]): void {
    this.read += items.length;
    this.rows += items.filter(({ sk }) => sk.startsWith(RANGE.row)).length;
    this.parts += items.filter(({ sk }) => sk.startsWith(RANGE.part)).length;
  }
}
