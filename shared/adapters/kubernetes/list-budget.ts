import { createHash } from 'node:crypto';

const GIB = 1024 ** 3;

/** Of one list; a page without objects counts as one. Kubernetes is tested with 150,000 Pods in a cluster. */
export const MAX_LIST_OBJECTS = 500_000;

/** Of all pages of one list: half of what etcd keeps of all resources together, unless told otherwise (2 GiB). */
export const MAX_LIST_BYTES = GIB;

/** A list that is longer than whoever asked can keep, or that comes back to where it was. */
export class EndlessListError extends Error {
  override readonly name = 'EndlessListError';
}

/** What was read of a page. */
export interface ReadPage {
  readonly objects: number;
  /** Of its text. */
  readonly bytes: number;
  /** Where the next page begins; `undefined` after the last one. */
  readonly cursor: string | undefined;
}

/** What of a list may still be read, so that no API server decides how much memory its client takes, and how long. */
export class ListBudget {
  #objects = 0;
  #bytes = 0;
  /** Hashes: a token may be as long as a page. */
  readonly #cursors = new Set<string>();

  /** @throws EndlessListError beyond a limit, or where the next page has been read already. */
  take({ objects, bytes, cursor }: ReadPage): void {
    this.#objects += Math.max(objects, 1);
    this.#bytes += bytes;
    if (this.#objects > MAX_LIST_OBJECTS)
      throw new EndlessListError(
        `a list of more than ${MAX_LIST_OBJECTS} objects, which no API server gives`,
      );
    if (this.#bytes > MAX_LIST_BYTES)
      throw new EndlessListError(
        `a list of more than ${MAX_LIST_BYTES / GIB} GiB, which no API server gives`,
      );
    if (cursor === undefined) return;
    const hash = createHash('sha256').update(cursor).digest('base64');
    if (this.#cursors.has(hash))
      throw new EndlessListError('a list that goes in a circle: a continue token came twice');
    this.#cursors.add(hash);
  }
}
