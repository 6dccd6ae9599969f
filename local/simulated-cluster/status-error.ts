import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { resourceKey } from './resources.ts';

type Target = Pick<Resource, 'group' | 'resource'>;

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

function about(target: Target, name: string): JsonObject {
  return { name, ...(target.group === '' ? {} : { group: target.group }), kind: target.resource };
}

/** 404: no such object. */
export function notFound(target: Target, name: string): StatusError {
  return new StatusError(
    { code: 404, reason: 'NotFound', details: about(target, name) },
    `${resourceKey(target)} "${name}" not found`,
  );
}

/** 404: no such resource, subresource or path. */
export function unknownResource(): StatusError {
  return new StatusError(
    { code: 404, reason: 'NotFound' },
    'the server could not find the requested resource',
  );
}

/** 409 on create. */
export function alreadyExists(target: Target, name: string): StatusError {
  return new StatusError(
    { code: 409, reason: 'AlreadyExists', details: about(target, name) },
    `${resourceKey(target)} "${name}" already exists`,
  );
}

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 409: the object is not in the state that the request requires. */
export function conflict(target: Target, name: string, why: string = MODIFIED): StatusError {
  return new StatusError(
    { code: 409, reason: 'Conflict', details: about(target, name) },
    `Operation cannot be fulfilled on ${resourceKey(target)} "${name}": ${why}`,
  );
}

/** 403. */
export function forbidden(target: Target, name: string, why: string): StatusError {
  return new StatusError(
    { code: 403, reason: 'Forbidden', details: about(target, name) },
    `${resourceKey(target)} "${name}" is forbidden: ${why}`,
  );
}

/** 400. */
export function badRequest(message: string, options?: ErrorOptions): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest' }, message, options);
}

/** 405: the path exists, the method does not. */
export function methodNotAllowed(): StatusError {
  return new StatusError(
    { code: 405, reason: 'MethodNotAllowed' },
    'the server does not allow this method on the requested resource',
  );
}

/**
 * 413: the body is larger than a simulated cluster accepts.
 *
 * @param limit a number with its unit
 */
export function entityTooLarge(limit: string): StatusError {
  return new StatusError(
    { code: 413, reason: 'RequestEntityTooLarge' },
    `Request entity too large: limit is ${limit}; split the object into smaller ones`,
  );
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
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  const causes: readonly JsonValue[] = [
    { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
  ];
  return new StatusError(
    { code: 504, reason: 'Timeout', details: { causes, retryAfterSeconds: 1 } },
    message,
  );
}

/** One reason why an object is rejected. */
export interface FieldError {
  readonly field: string;
  /** `Required value`, `Invalid value` ...: the words of the API server. */
  readonly message: string;
}

/** 422: the content of an object is rejected. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const listed = errors.map((error) => `${error.field}: ${error.message}`);
  const shown = listed.length === 1 ? listed[0] : `[${listed.join(', ')}]`;
  return new StatusError(
    {
      code: 422,
      reason: 'Invalid',
      details: {
        name,
        ...(kind.group === '' ? {} : { group: kind.group }),
        kind: kind.kind,
        causes: errors.map(({ field, message }) => ({
          reason: 'FieldValueInvalid',
          message,
          field,
        })),
      },
    },
    `${kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`} "${name}" is invalid: ${shown}`,
  );
}
