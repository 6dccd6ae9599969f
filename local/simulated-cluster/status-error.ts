import { StatusError } from '#shared/api/status-error.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { resourceKey } from './resources.ts';

type Target = Pick<Resource, 'group' | 'resource'>;

function about(target: Target, name: string): JsonObject {
  return { name, ...(target.group === '' ? {} : { group: target.group }), kind: target.resource };
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
