import type { BoundedReads } from './bounded-reads.ts';
import type { Reader } from './fair-limit.ts';
import { EMPTY_WITHOUT, WITHOUT_OF_LIST } from './list-messages.ts';
import type { ItemName, ServedResource } from './served-resource.ts';
import { badRequest } from './status-error.ts';

/**
 * The names in `without=WEC[,WEC]`, which may be given several times.
 *
 * @throws StatusError 400 if a name is empty
 */
function namesIn(query: URLSearchParams): readonly string[] {
  const names = query.getAll('without').flatMap((text) => text.split(','));
  if (names.includes('')) throw badRequest(EMPTY_WITHOUT);
  return [...new Set(names)];
}

/** @throws StatusError 400 if a list or watch asks what would be without some WECs */
export function forbidWithout(query: URLSearchParams): void {
  if (query.has('without')) throw badRequest(WITHOUT_OF_LIST);
}

/**
 * Reads the object that a get asks for. A resource without the question `?without=` ignores it, as API servers ignore parameters
 * that they do not know.
 *
 * @throws StatusError 400 for an unknown WEC, or an empty name of one
 */
export function readItem<T>(
  {
    served,
    reads,
    itemName,
    query,
  }: {
    readonly served: ServedResource<T>;
    readonly reads: BoundedReads;
    readonly itemName: ItemName;
    readonly query: URLSearchParams;
  },
  reader: Reader,
): Promise<T | undefined> {
  const without = served.readWithout === undefined ? [] : namesIn(query);
  return reads.item(
    served,
    async (source, signal) =>
      served.readWithout === undefined || without.length === 0
        ? served.read(source, itemName, signal)
        : served.readWithout(source, { ...itemName, without }, signal),
    reader,
  );
}
