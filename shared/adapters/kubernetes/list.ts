import { at, isArray, isObject, type JsonObject } from '#shared/core/json.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectList, Resource, Selection } from '#shared/ports/kubernetes-api.ts';
import { acceptOf } from './accept.ts';
import {
  AnswerTooLargeError,
  MAX_LAST_PAGE_BYTES,
  MAX_PAGE_BYTES,
  MAX_PAGE_VALUES,
} from './answer-body.ts';
import { parseObject } from './answer-json.ts';
import { unavailable } from './api-error.ts';
import type { Connection } from './connection.ts';
import { EndlessListError, ListBudget } from './list-budget.ts';
import { NO_LIST_VERSION, returnedBy } from './messages.ts';
import { collectionPath, withQuery } from './paths.ts';
import { ThreadTurn } from './thread-turn.ts';

/** API servers leave `apiVersion` and `kind` out of the items of built-in resources. Both follow from the list. */
async function itemsOf(
  page: JsonObject,
  { reduce }: Selection,
  turn: ThreadTurn,
): Promise<readonly JsonObject[]> {
  const { apiVersion, kind, items } = page;
  const type =
    typeof apiVersion === 'string' && typeof kind === 'string'
      ? { apiVersion, kind: kind.replace(/List$/, '') }
      : {};
  const reduced: JsonObject[] = [];
  for (const item of isArray(items) ? items : []) {
    if (!isObject(item)) continue;
    const whole = { ...type, ...item };
    reduced.push(reduce === undefined ? whole : reduce(whole));
    await turn.pause();
  }
  return reduced;
}

/** The pages to read. */
export interface Listing {
  readonly resource: Resource;
  readonly selection: Selection;
  /** The number of objects in a page. */
  readonly pageSize: number;
}

interface Page extends ObjectList {
  /** The start of the next page; undefined after the last page. */
  readonly cursor: string | undefined;
  /** The size of its text. */
  readonly bytes: number;
}

/** Reads one page. This is a separate function, so that nothing refers to the whole objects after it has returned. */
async function readPage(
  connection: Connection,
  { resource, selection, pageSize }: Listing,
  { cursor, signal }: { readonly cursor?: string; readonly signal: AbortSignal | undefined },
): Promise<Page> {
  const operation = `list ${resourceName(resource)}`;
  const path = withQuery(collectionPath(resource), {
    limit: pageSize,
    continue: cursor,
    labelSelector: selection.labelSelector,
  });
  const accept = acceptOf(selection, 'PartialObjectMetadataList');
  const body = await connection.send({
    operation,
    method: 'GET',
    path,
    ...accept,
    maxAnswerBytes: pageSize > 1 ? MAX_PAGE_BYTES : MAX_LAST_PAGE_BYTES,
    signal,
  });
  const turn = new ThreadTurn(signal);
  const page = parseObject(operation, body, pageSize > 1 ? { maxValues: MAX_PAGE_VALUES } : {});
  await turn.pause();
  const resourceVersion = at(page, 'metadata', 'resourceVersion');
  if (typeof resourceVersion !== 'string')
    throw new ApiUnavailableError(operation, NO_LIST_VERSION);
  const next = at(page, 'metadata', 'continue');
  return {
    resourceVersion,
    items: await itemsOf(page, selection, turn),
    cursor: typeof next === 'string' && next !== '' ? next : undefined,
    bytes: Buffer.byteLength(body),
  };
}

/** Reads one page. If it is too large, retries with fewer objects in it. Returns also the number that fitted. */
async function readFittingPage(
  connection: Connection,
  listing: Listing,
  from: Parameters<typeof readPage>[2],
): Promise<Page & { readonly pageSize: number }> {
  for (let { pageSize } = listing; ; pageSize = Math.ceil(pageSize / 2))
    try {
      return { ...(await readPage(connection, { ...listing, pageSize }, from)), pageSize };
    } catch (error) {
      const isTooLarge =
        error instanceof ApiUnavailableError && error.cause instanceof AnswerTooLargeError;
      if (!isTooLarge || pageSize <= 1) throw error;
    }
}

/**
 * Counts a page of a list. @throws ApiUnavailableError if the list is too long: then the answer does not come from an API
 * server.
 */
async function count(
  connection: Connection,
  { resource }: Listing,
  { budget, page }: { readonly budget: ListBudget; readonly page: Page },
): Promise<void> {
  try {
    budget.take({ ...page, objects: page.items.length });
  } catch (error) {
    if (!(error instanceof EndlessListError)) throw error;
    const reason = returnedBy(await connection.server(), error.message);
    throw unavailable(`list ${resourceName(resource)}`, reason, error);
  }
}

/**
 * Reads all pages of a list.
 *
 * @throws the errors of the Kubernetes port. ApiUnavailableError also for a list without end. ResourceExpiredError if a page
 * had expired, even in the middle of a list: the pages that were read are dropped, because their versions would not match those
 * of a new list.
 */
export async function listResource(
  connection: Connection,
  listing: Listing,
  signal: AbortSignal | undefined,
): Promise<ObjectList> {
  const budget = new ListBudget();
  let page = await readFittingPage(connection, listing, { signal });
  // If the pages had different versions, a watch from the oldest version would miss nothing.
  const { resourceVersion } = page;
  const items = [...page.items];
  await count(connection, listing, { budget, page });
  while (page.cursor !== undefined) {
    const { cursor, pageSize } = page;
    page = await readFittingPage(connection, { ...listing, pageSize }, { cursor, signal });
    await count(connection, listing, { budget, page });
    for (const item of page.items) items.push(item);
  }
  return { resourceVersion, items };
}
