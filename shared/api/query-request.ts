import { contentHash } from '#shared/content-hash.ts';
import { boundedText, MAX_ERRORS } from '#shared/core/error-list.ts';
import {
  at,
  isObject,
  type JsonObject,
  parseJson,
  stringifyJson,
  textAt,
} from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import type {
  NamedWorkloads,
  QueryFault,
  StatusQuery,
} from '#shared/core/status-api/status-query.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { Scope } from '#shared/ports/status-source.ts';
import { API_VERSION, GROUP } from './api-group.ts';
import type { ApiRequest } from './api-request.ts';
import { decodeToken, encodeToken } from './continue-token.ts';
import { invalidObject, unknownFormat, WRONG_NAMESPACE } from './messages.ts';
import {
  CONTINUE_OF_OTHER,
  NOT_AN_OBJECT,
  NOT_JSON,
  noNamespace,
  unsupportedDryRun,
  wrongKind,
} from './query-messages.ts';
import type { CreateTarget } from './query-resources.ts';
import { mediaTypeOf, requestText } from './request-text.ts';
import { badRequest, StatusError, unsupportedMediaType } from './status-error.ts';

/** At most so many bytes of a query are read. Parsing it blocks other requests. */
export const MAX_QUERY_BYTES = 64 * 1024;
/** Characters of the message of one field. */
const MAX_MESSAGE = 1_000;

function invalid(
  { code, reason }: { readonly code: number; readonly reason: string },
  kind: string,
  faults: readonly QueryFault[],
): StatusError {
  const causes = faults.slice(0, MAX_ERRORS).map(({ field, message }) => ({
    reason: 'FieldValueInvalid',
    message: boundedText(message, MAX_MESSAGE),
    field,
  }));
  return new StatusError(
    { code, reason, details: { group: GROUP, kind, causes } },
    invalidObject(`${kind}.${GROUP}`, causes),
  );
}

/** 422. */
export function invalidQuery(kind: string, faults: readonly QueryFault[]): StatusError {
  return invalid({ code: 422, reason: 'Invalid' }, kind, faults);
}

/** 400 for a `continue` that is not of this query. */
export function invalidContinue(kind: string): StatusError {
  const fault = { field: 'spec.continue', message: CONTINUE_OF_OTHER };
  return invalid({ code: 400, reason: 'BadRequest' }, kind, [fault]);
}

/** @throws StatusError 400 for options of a creation that are not supported */
export function checkOptions({ query }: ApiRequest): void {
  const dryRun = query.getAll('dryRun').find((one) => one !== 'All' && one !== '');
  if (dryRun !== undefined) throw badRequest(unsupportedDryRun(dryRun));
}

/** The object of a request. */
export interface QueryBody {
  /** As the user has sent it. */
  readonly text: string;
  readonly object: JsonObject;
}

/**
 * Reads the object of a request.
 *
 * @throws StatusError 400 if it is no object in JSON, 408, 413 or 415
 */
export async function bodyOf({ body }: ApiRequest): Promise<QueryBody> {
  const type = mediaTypeOf(body);
  if (type !== '' && type !== 'application/json')
    throw unsupportedMediaType(unknownFormat(['application/json']));
  const text = await requestText(body, MAX_QUERY_BYTES);
  try {
    const object = parseJson(text);
    // What is nested too deep cannot be written again.
    if (isObject(object) && Number.isFinite(jsonBytes(object))) return { text, object };
  } catch (error) {
    throw badRequest(NOT_JSON, { cause: error });
  }
  throw badRequest(NOT_AN_OBJECT);
}

/**
 * Checks that the object is of the kind and namespace of the path. What it does not say is not checked.
 *
 * @throws StatusError 400
 */
export function checkIdentity(object: JsonObject, { resource, namespace }: CreateTarget): void {
  const { kind, namespaced } = resource.names;
  const { apiVersion = API_VERSION, kind: given = kind } = object;
  if (apiVersion !== API_VERSION || given !== kind) {
    const said = { kind: textAt(object, 'kind'), apiVersion: textAt(object, 'apiVersion') };
    throw badRequest(wrongKind(said, kind));
  }
  const own = textAt(object, 'metadata', 'namespace');
  if (own !== '' && own !== namespace)
    throw badRequest(namespaced ? WRONG_NAMESPACE : noNamespace(kind));
}

/** Identifies a query in its continuations: everything but where it goes on, and how long an answer is. */
export function identityOf({ resource, namespace }: CreateTarget, object: JsonObject): string {
  const given = object['spec'];
  const { continue: _continue, limit: _limit, ...spec } = isObject(given) ? given : {};
  return contentHash(stringifyJson([resource.names.kind, namespace, spec]));
}

/** The position of a continuation, or undefined if it is not of this query. */
function positionIn(token: string, identity: string): string | undefined {
  try {
    const decoded = decodeToken(token);
    return at(decoded, 'query') === identity ? textAt(decoded, 'after') : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Where a query goes on. Undefined if it begins.
 *
 * @param identity see {@link identityOf}
 * @throws InvalidContinuationError if `continue` is of another query
 */
export function afterOf({ continueToken }: StatusQuery, identity: string): string | undefined {
  if (continueToken === undefined) return undefined;
  const after = positionIn(continueToken, identity);
  if (after === undefined) throw new InvalidContinuationError();
  return after;
}

/** `continue` of an answer. */
export function continueOf(position: string, identity: string): string {
  return encodeToken({ after: position, query: identity });
}

/** The objects that a query is about. */
export function scopeOf(
  { resource, namespace }: CreateTarget,
  { allNamespaces }: NamedWorkloads,
): Scope {
  if (resource.names.namespaced) return { namespace };
  return allNamespaces ? 'all-namespaces' : 'cluster';
}
