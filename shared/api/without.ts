import type { StatusSource } from '#shared/ports/status-source.ts';
import type { ApiRequest } from './api-request.ts';
import type { ItemName, ServedResource } from './served-resource.ts';
import { badRequest } from './status-error.ts';

/** The names in `without=WEC[,WEC]`, which may be given several times. */
function namesIn(query: URLSearchParams): readonly string[] {
  const names = query.getAll('without').flatMap((text) => text.split(','));
  return [...new Set(names.filter((name) => name !== ''))];
}

/** @throws StatusError 400 if a list or watch asks what would be without some WECs */
export function forbidWithout(query: URLSearchParams): void {
  if (query.has('without'))
    throw badRequest('without: only the get of one object has it: add the name to the path');
}

/**
 * Reads the object that a get asks for. A resource without the question `?without=` ignores it, as API servers ignore parameters
 * that they do not know.
 *
 * @throws StatusError 400 for an unknown WEC
 */
export async function readItem<T>({
  served,
  source,
  itemName,
  request: { query, signal },
}: {
  readonly served: ServedResource<T>;
  readonly source: StatusSource;
  readonly itemName: ItemName;
  readonly request: ApiRequest;
}): Promise<T | undefined> {
  const without = namesIn(query);
  if (served.readWithout === undefined || without.length === 0)
    return served.read(source, itemName, signal);
  return served.readWithout(source, { ...itemName, without }, signal);
}
