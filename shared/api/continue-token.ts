import { at, type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { badRequest } from './status-error.ts';

/** Where a list goes on. */
export interface Position {
  /** The revision at which the first page was begun. Every page has it. */
  readonly revision: number;
  /** What the source calls `next`. */
  readonly after: string;
}

/** A position as text for `continue`. */
export function encodePosition({ revision, after }: Position): string {
  return Buffer.from(stringifyJson({ revision, after })).toString('base64url');
}

function parsed(token: string): JsonValue {
  try {
    return parseJson(Buffer.from(token, 'base64url').toString('utf8'));
  } catch (error) {
    throw badRequest('continue key is not valid', { cause: error });
  }
}

/**
 * The inverse of {@link encodePosition}.
 *
 * @throws StatusError 400 if the text is no such position
 */
export function decodePosition(token: string): Position {
  const decoded = parsed(token);
  const revision = at(decoded, 'revision');
  const after = at(decoded, 'after');
  if (typeof revision === 'number' && typeof after === 'string') return { revision, after };
  throw badRequest('continue key is not valid');
}
