import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { QUERY_ENDED } from '#shared/core/status-api/query-ended.ts';
import type { GroupResource } from '#shared/core/status-api/status-name.ts';
import { FUTURE_VERSION, futureVersion } from './list-messages.ts';
import {
  CLIENT_GONE,
  largeBody,
  lateBody,
  methodNotSupported,
  NO_IMPERSONATION,
  objectNotFound,
  resourceNotFound,
  UNAUTHORIZED,
} from './messages.ts';

/** An error answer of the API server: a `Status` object and the HTTP code. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  /** Machine-readable reason of the `Status`, such as `NotFound`. `''` if the API server gives none. */
  readonly reason: string;
  readonly details: JsonObject;
  constructor(
    answer: { readonly code: number; readonly reason: string; readonly details?: JsonObject },
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = answer.code;
    this.reason = answer.reason;
    this.details = answer.details ?? {};
  }

  /** The `Status` object of the answer's body. */
  toStatus(): JsonObject {
    return {
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      details: this.details,
      code: this.code,
    };
  }
}

/** 404: no such resource, subresource or path. */
export function unknownResource(remedy?: string): StatusError {
  return new StatusError({ code: 404, reason: 'NotFound' }, resourceNotFound(remedy));
}

/** 404: no such object. */
export function notFound({ group, resource }: GroupResource, name: string): StatusError {
  const details = { name, ...(group === '' ? {} : { group }), kind: resource };
  const message = objectNotFound({ group, resource }, name);
  return new StatusError({ code: 404, reason: 'NotFound', details }, message);
}

/** 400. */
export function badRequest(message: string, options?: ErrorOptions): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest' }, message, options);
}

/** 413. */
export function tooLarge(message: string): StatusError {
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge' }, message);
}

/** 413: the body of a request is too large. */
export function requestTooLarge(maxBytes: number): StatusError {
  return tooLarge(largeBody(maxBytes));
}

/** 408: the body of a request does not come. */
export function requestTimeout(seconds: number): StatusError {
  return new StatusError({ code: 408, reason: 'Timeout' }, lateBody(seconds));
}

/** 405: the path exists, the method does not. */
export function methodNotAllowed(remedy?: string): StatusError {
  return new StatusError({ code: 405, reason: 'MethodNotAllowed' }, methodNotSupported(remedy));
}

/** 415: the type of the body is not supported here. */
export function unsupportedMediaType(message: string): StatusError {
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType' }, message);
}

/** 410: the history does not reach back to the requested resourceVersion. */
export function expired(message: string): StatusError {
  return new StatusError({ code: 410, reason: 'Expired' }, message);
}

/** 504 with the cause that clients know: this server has not reached the resourceVersion. */
export function tooLargeResourceVersion(wanted: number, current: number): StatusError {
  const causes: readonly JsonValue[] = [
    { reason: 'ResourceVersionTooLarge', message: FUTURE_VERSION },
  ];
  return new StatusError(
    { code: 504, reason: 'Timeout', details: { causes, retryAfterSeconds: 1 } },
    futureVersion(wanted, current),
  );
}

/** 503: something that is needed for the answer does not answer itself. The client retries. */
export function unavailable(message: string, cause: unknown): StatusError {
  return new StatusError(
    { code: 503, reason: 'ServiceUnavailable', details: { retryAfterSeconds: 1 } },
    message,
    { cause },
  );
}

/**
 * 504 or 500: the evaluation of a query was ended. Without a time to retry after: clients would ask again by themselves.
 *
 * @param isLate whether it took too long
 */
export function queryEnded(message: string, isLate: boolean): StatusError {
  const details = { causes: [{ reason: QUERY_ENDED, message }] };
  const answer = isLate ? { code: 504, reason: 'Timeout' } : { code: 500, reason: 'InternalError' };
  return new StatusError({ ...answer, details }, message);
}

/** 429: the server does enough for others already. The client retries. */
export function tooManyRequests(message: string): StatusError {
  return new StatusError(
    { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 5 } },
    message,
  );
}

/** The client has gone while its request waited. Nobody reads this answer. */
export function clientGone(): StatusError {
  return new StatusError({ code: 499, reason: 'ClientGone' }, CLIENT_GONE);
}

/** 401. */
export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized' }, UNAUTHORIZED);
}

/**
 * 400: the request is to be answered as for somebody else. An API server answers it so, and takes the headers away before it passes
 * the request on (Kubernetes, "User impersonation").
 */
export function noImpersonation(): StatusError {
  return badRequest(NO_IMPERSONATION);
}
