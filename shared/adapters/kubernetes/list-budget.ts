import { createHash } from 'node:crypto';
import { ENDLESS_LIST, longList } from './messages.ts';

const GIB = 1024 ** 3;

/** The limit for one list; a page without objects counts as one object. Kubernetes is tested with 150,000 Pods in a cluster. */
export const MAX_LIST_OBJECTS = 500_000;

/** The limit for all pages of one list: half of what etcd stores of all resources together by default (2 GiB). */
export const MAX_LIST_BYTES = GIB;

/** A list that is longer than the client accepts, or that returns to an earlier page. */
export class EndlessListError extends Error {
  override readonly name = 'EndlessListError';
}

/** The size of a page that was read. */
export interface ReadPage {
  readonly objects: number;
  /** The size of its text. */
  readonly bytes: number;
  /** The start of the next page; undefined after the last page. */
  readonly cursor: string | undefined;
}

/** The rest of a list that may still be read, so that an API server cannot decide how much memory and time its client uses. */
export class ListBudget {
  #objects = 0;
  #bytes = 0;
  /** Hashes, because a token may be as long as a page. */
  readonly #cursors = new Set<string>();

  /** @throws EndlessListError beyond a limit, or if the next page has already been read. */
  take({ objects, bytes, cursor }: ReadPage): void {
    this.#objects += Math.max(objects, 1);
    this.#bytes += bytes;
    if (this.#objects > MAX_LIST_OBJECTS)
      throw new EndlessListError(longList(`${MAX_LIST_OBJECTS} objects`));
    if (this.#bytes > MAX_LIST_BYTES)
      throw new EndlessListError(longList(`${MAX_LIST_BYTES / GIB} GiB`));
    if (cursor === undefined) return;
    const hash = createHash('sha256').update(cursor).digest('base64');
    if (this.#cursors.has(hash)) throw new EndlessListError(ENDLESS_LIST);
    this.#cursors.add(hash);
  }
}
