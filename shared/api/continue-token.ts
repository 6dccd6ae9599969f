import {
  at,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import { INVALID_CONTINUE } from './list-messages.ts';
import { badRequest } from './status-error.ts';

/** Where a list goes on. */
export interface Position {
  /** The revision at which the first page was begun. Every page has it. */
  readonly revision: number;
  /** What the source calls `next`. */
  readonly after: string;
}

/** What a server wants to know again, as text for `continue`. */
export function encodeToken(value: JsonObject): string {
  return Buffer.from(stringifyJson(value)).toString('base64url');
}

/** A position as text for `continue`. */
export function encodePosition({ revision, after }: Position): string {
  return encodeToken({ revision, after });
}

/**
 * The inverse of {@link encodeToken}, of any form.
 *
 * @throws StatusError 400 if the text is no such text
 */
export function decodeToken(token: string): JsonValue {
  try {
    return parseJson(Buffer.from(token, 'base64url').toString('utf8'));
  } catch (error) {
    throw badRequest(INVALID_CONTINUE, { cause: error });
  }
}

/**
 * The inverse of {@link encodePosition}.
 *
 * @throws StatusError 400 if the text is no such position
 */
export function decodePosition(token: string): Position {
  const decoded = decodeToken(token);
  const revision = at(decoded, 'revision');
  const after = at(decoded, 'after');
  if (typeof revision === 'number' && typeof after === 'string') return { revision, after };
  throw badRequest(INVALID_CONTINUE);
}
