import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '#shared/core/json.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectList, Resource, Selection } from '#shared/ports/kubernetes-api.ts';
import { unavailable } from './api-error.ts';
import type { Connection } from './connection.ts';
import { collectionPath, resourceName, withQuery } from './paths.ts';

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
function typedItems(page: JsonObject): readonly JsonObject[] {
  const { apiVersion, kind, items } = page;
  const type =
    typeof apiVersion === 'string' && typeof kind === 'string'
      ? { apiVersion, kind: kind.replace(/List$/, '') }
      : {};
  return (isArray(items) ? items : []).filter(isObject).map((item) => ({ ...type, ...item }));
}

/** Which pages of which resource. */
export interface Listing {
  readonly resource: Resource;
  readonly selection: Selection;
  /** Objects in a page. */
  readonly pageSize: number;
}

/**
 * Reads all pages of a list.
 *
 * @throws the errors of the Kubernetes port; ResourceExpiredError when a page had expired.
 */
export async function listResource(
  connection: Connection,
  { resource, selection, pageSize }: Listing,
  signal: AbortSignal | undefined,
): Promise<ObjectList> {
  const operation = `list ${resourceName(resource)}`;
  const items: JsonObject[] = [];
  let first: string | undefined;
  let cursor: JsonValue | undefined;
  do {
    const path = withQuery(collectionPath(resource), {
      limit: pageSize,
      continue: cursor,
      labelSelector: selection.labelSelector,
    });
    const body = await connection.send({ operation, method: 'GET', path, signal });
    const page = parseObject(operation, body);
    const resourceVersion = at(page, 'metadata', 'resourceVersion');
    if (typeof resourceVersion !== 'string')
      throw new ApiUnavailableError(operation, 'a list without metadata.resourceVersion');
    // Were the pages of different versions, watching from the oldest would miss nothing.
    first ??= resourceVersion;
    for (const item of typedItems(page)) items.push(item);
    cursor = at(page, 'metadata', 'continue');
  } while (typeof cursor === 'string' && cursor !== '');
  return { resourceVersion: first, items };
}
