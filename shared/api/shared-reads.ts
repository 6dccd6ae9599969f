import { LRUCache } from 'lru-cache';
import { jsonBytes } from '#shared/core/json-size.ts';
import type { StatusPage } from '#shared/ports/status-source.ts';
import type { ServedResource } from './served-resource.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** About what an object needs beside its content. */
const OBJECT_BYTES = 1_024;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** What was read for one watch, for the others. What has not been used for long is forgotten. */
export class SharedReads {
  // Each key is used for pages of one resource only.
  readonly #kept = new LRUCache<string, Promise<StatusPage<never>>>({ maxSize: MAX_BYTES });

  /**
   * Reads a page, unless it was read before.
   *
   * @param key identifies the page and the change after which it is read, so that no later change is missed
   */
  read<T>(
    served: ServedResource<T>,
    key: string,
    read: () => Promise<StatusPage<T>>,
  ): Promise<StatusPage<T>> {
    const whole = `${served.names.plural} ${key}`;
    // Pages under this key have been read with this resource.
    const kept = this.#kept.get(whole) as Promise<StatusPage<T>> | undefined;
    if (kept !== undefined) return kept;
    const page = read();
    const stored = page as Promise<StatusPage<never>>;
    this.#kept.set(whole, stored, { size: OBJECT_BYTES });
    page.then(
      ({ items }) => {
        const bytes = items.map((item) => jsonBytes(served.contentOf(item), NO_LIMIT));
        const size = bytes.reduce((sum, one) => sum + one + OBJECT_BYTES, OBJECT_BYTES);
        // Larger than the whole cache: it is not kept.
        if (this.#kept.peek(whole) === stored) this.#kept.set(whole, stored, { size });
      },
      () => {
        if (this.#kept.peek(whole) === stored) this.#kept.delete(whole);
      },
    );
    return page;
  }
}
