import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '#shared/core/json.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectList, Resource, Selection } from '#shared/ports/kubernetes-api.ts';
import { acceptOf } from './accept.ts';
import { AnswerTooLargeError, MAX_PAGE_BYTES } from './answer-body.ts';
import { unavailable } from './api-error.ts';
import type { Connection } from './connection.ts';
import { EndlessListError, ListBudget } from './list-budget.ts';
import { collectionPath, withQuery } from './paths.ts';

/**
 * An answer's body as a JSON object.
 *
 * @throws ApiUnavailableError when it is none: then something else than an API server answered.
 */
export function parseObject(operation: string, body: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(body);
  } catch (error) {
    throw unavailable(operation, 'an answer that is not JSON', error);
  }
  if (!isObject(value)) throw new ApiUnavailableError(operation, 'an answer that is no object');
  return value;
}

/** API servers leave `apiVersion` and `kind` out of the items of built-in resources: the list's tell them. */
function itemsOf(page: JsonObject, { reduce }: Selection): readonly JsonObject[] {
  const { apiVersion, kind, items } = page;
  const type =
    typeof apiVersion === 'string' && typeof kind === 'string'
      ? { apiVersion, kind: kind.replace(/List$/, '') }
      : {};
  return (isArray(items) ? items : []).filter(isObject).map((item) => {
    const whole = { ...type, ...item };
    return reduce === undefined ? whole : reduce(whole);
  });
}

/** Which pages of which resource. */
export interface Listing {
  readonly resource: Resource;
  readonly selection: Selection;
  /** Objects in a page. */
  readonly pageSize: number;
}

interface Page extends ObjectList {
  /** Where the next page begins; `undefined` after the last one. */
  readonly cursor: string | undefined;
  /** Of its text. */
  readonly bytes: number;
}

/** Reads one page. A function of its own: nothing refers to its whole objects once it has returned. */
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
    maxAnswerBytes: MAX_PAGE_BYTES,
    signal,
  });
  const page = parseObject(operation, body);
  const resourceVersion = at(page, 'metadata', 'resourceVersion');
  if (typeof resourceVersion !== 'string')
    throw new ApiUnavailableError(operation, 'a list without metadata.resourceVersion');
  const next = at(page, 'metadata', 'continue');
  return {
    resourceVersion,
    items: itemsOf(page, selection),
    cursor: typeof next === 'string' && next !== '' ? next : undefined,
    bytes: Buffer.byteLength(body),
  };
}

/** Reads one page, with fewer objects in it as long as it is too large. */
async function readFittingPage(
  connection: Connection,
  listing: Listing,
  from: Parameters<typeof readPage>[2],
): Promise<Page> {
  for (let { pageSize } = listing; ; pageSize = Math.ceil(pageSize / 2))
    try {
      return await readPage(connection, { ...listing, pageSize }, from);
    } catch (error) {
      const isTooLarge =
        error instanceof ApiUnavailableError && error.cause instanceof AnswerTooLargeError;
      if (!isTooLarge || pageSize <= 1) throw error;
    }
}

/** Counts a page of a list. @throws ApiUnavailableError where it is too long: then something else answered. */
async function count(
  connection: Connection,
  { resource }: Listing,
  { budget, page }: { readonly budget: ListBudget; readonly page: Page },
): Promise<void> {
  try {
    budget.take({ ...page, objects: page.items.length });
  } catch (error) {
    if (!(error instanceof EndlessListError)) throw error;
    const reason = `${await connection.server()} gives ${error.message}`;
    throw unavailable(`list ${resourceName(resource)}`, reason, error);
  }
}

/**
 * Reads all pages of a list.
 *
 * @throws the errors of the Kubernetes port, ApiUnavailableError also for a list without end; ResourceExpiredError when a page had expired, also in the middle of a list:
 *   what was read until then is dropped, as its versions and those of a list begun anew would not match.
 */
export async function listResource(
  connection: Connection,
  listing: Listing,
  signal: AbortSignal | undefined,
): Promise<ObjectList> {
  const budget = new ListBudget();
  let page = await readFittingPage(connection, listing, { signal });
  // Were the pages of different versions, watching from the oldest would miss nothing.
  const { resourceVersion } = page;
  const items = [...page.items];
  await count(connection, listing, { budget, page });
  while (page.cursor !== undefined) {
    page = await readFittingPage(connection, listing, { cursor: page.cursor, signal });
    await count(connection, listing, { budget, page });
    for (const item of page.items) items.push(item);
  }
  return { resourceVersion, items };
}
