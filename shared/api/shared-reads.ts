import { LRUCache } from 'lru-cache';
import { jsonBytes } from '#shared/core/json-size.ts';
import type { StatusPage } from '#shared/ports/status-source.ts';
import type { FairLimit, Reader, SharedWork } from './fair-limit.ts';
import type { ServedResource } from './served-resource.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** About what an object needs beside its content. */
const OBJECT_BYTES = 1_024;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A page that is read once for several watches. */
export interface SharedPage<T> {
  /** Identifies the page among those of its resource. */
  readonly key: string;
  /** The revision after which it must be read: a watch is told only of later changes. */
  readonly since: number;
  readonly limit: FairLimit;
  read(signal: AbortSignal): Promise<StatusPage<T>>;
}

interface Kept<T> {
  readonly work: Omit<SharedWork<StatusPage<T>>, 'begin'>;
  /** The latest revision that was known before it was read. */
  since: number;
}

/** Whether a page is as new as a watch needs it. What has not begun to be read will be. */
function isFresh({ work, since }: Kept<never>, needed: number): boolean {
  return !work.isAbandoned && (work.isWaiting || since >= needed);
}

/** What was read for one watch, for the others. What has not been used for long is forgotten. */
export class SharedReads {
  // Each key is used for pages of one resource only.
  readonly #kept = new LRUCache<string, Kept<never>>({ maxSize: MAX_BYTES });

  /**
   * Reads a page, unless another watch reads it or has read it after the revision. A failure is that of every watch that waits, and
   * is not kept.
   */
  read<T>(served: ServedResource<T>, page: SharedPage<T>, reader: Reader): Promise<StatusPage<T>> {
    const whole = `${served.names.plural} ${page.key}`;
    const kept = this.#kept.get(whole);
    // Pages under this key have been read with this resource.
    if (kept !== undefined && isFresh(kept, page.since))
      return this.#join(kept as Kept<T>, page, reader);
    const begun: Kept<T> = { work: page.limit.share(page.read), since: page.since };
    this.#keep(whole, begun as Kept<never>, OBJECT_BYTES);
    const result = this.#join(begun, page, reader);
    void this.#settle(served, whole, begun);
    return result;
  }

  #join<T>(kept: Kept<T>, { since }: SharedPage<T>, reader: Reader): Promise<StatusPage<T>> {
    if (kept.work.isWaiting) kept.since = Math.max(kept.since, since);
    return kept.work.wait(reader);
  }

  #keep(whole: string, kept: Kept<never>, size: number): void {
    this.#kept.set(whole, kept, { size });
  }

  async #settle<T>(served: ServedResource<T>, whole: string, kept: Kept<T>): Promise<void> {
    const stored = kept as Kept<never>;
    try {
      const { items } = await kept.work.result;
      const bytes = items.map((item) => jsonBytes(served.contentOf(item), NO_LIMIT));
      const size = bytes.reduce((sum, one) => sum + one + OBJECT_BYTES, OBJECT_BYTES);
      // Larger than the whole cache: it is not kept.
      if (this.#kept.peek(whole) === stored) this.#keep(whole, stored, size);
    } catch {
      if (this.#kept.peek(whole) === stored) this.#kept.delete(whole);
    }
  }
}
