import type { JsonObject } from '#shared/core/json.ts';
import type { Scope, StatusPage, StatusSource } from '#shared/ports/status-source.ts';
import { decodePosition, encodePosition, type Position } from './continue-token.ts';
import type { ListOptions } from './list-options.ts';
import type { Presenter } from './presentation.ts';
import type { Readable } from './readable.ts';
import type { ServedResource } from './served-resource.ts';
import { expired, tooLargeResourceVersion } from './status-error.ts';

/** A list. */
export interface ListRequest<T> {
  readonly source: StatusSource;
  readonly served: ServedResource<T>;
  readonly presenter: Presenter<T>;
  readonly scope: Scope;
  readonly readable: Readable;
  readonly options: ListOptions;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** So many objects are read at a time, for one piece of the answer. */
const PAGE_SIZE = 500;

/**
 * Checks that a request can be answered at the revision that it names. Only the present can be read.
 *
 * @returns the revision of now
 * @throws StatusError 504 for a revision of the future, 410 for a past one that must be met exactly
 */
export async function checkRevision(
  source: Pick<StatusSource, 'revision'>,
  { resourceVersion = 0, match }: ListOptions,
  signal: AbortSignal,
): Promise<number> {
  const now = await source.revision(signal);
  if (resourceVersion > now) throw tooLargeResourceVersion(resourceVersion, now);
  if (match === 'Exact' && resourceVersion !== now)
    throw expired(`The resourceVersion for the provided list is too old: ${resourceVersion}`);
  return now;
}

async function firstPosition<T>({
  source,
  options,
  signal,
}: ListRequest<T>): Promise<Partial<Position> & Pick<Position, 'revision'>> {
  const { continueToken } = options;
  if (continueToken !== undefined) return decodePosition(continueToken);
  return { revision: await checkRevision(source, options, signal) };
}

function metadataOf(revision: number, next: string | undefined): JsonObject {
  return {
    resourceVersion: String(revision),
    ...(next === undefined ? {} : { continue: encodePosition({ revision, after: next }) }),
  };
}

/**
 * The text of a list, in pieces. Its pages are not of one moment. Every page has the revision at which the first was begun, so a
 * watch from there repeats what a page may have missed. Without a limit, the whole list is one answer, of which one piece is in
 * memory at a time.
 *
 * @throws StatusError before the first piece: 400 for an invalid `continue`; as {@link checkRevision}
 */
export async function* listText<T>(request: ListRequest<T>): AsyncGenerator<string> {
  const { source, served, presenter, scope, readable, options, signal } = request;
  const { revision, after } = await firstPosition(request);
  const { head, tail } = presenter.list();
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let next = after;
  let text = head;
  let separator = '';
  do {
    const page: StatusPage<T> = await served.page(
      source,
      {
        scope,
        selector: options.selector,
        limit: Math.min(left, PAGE_SIZE),
        readable: (resource) => readable.has(resource),
        ...(next === undefined ? {} : { after: next }),
      },
      signal,
    );
    for (const item of page.items) {
      text += `${separator}${presenter.element(item, revision)}`;
      separator = ',';
    }
    left -= page.items.length;
    next = page.next;
    // The end is one piece with the last objects.
    if (left <= 0 || next === undefined) break;
    yield text;
    text = '';
  } while (!signal.aborted);
  yield `${text}${tail(metadataOf(revision, next))}`;
}
