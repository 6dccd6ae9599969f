import * as z from 'zod/mini';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { InvalidContinuationError } from '#shared/errors.ts';

/** How far a list has come. What begins later than both is still to come. */
export interface Position {
  /** Sort key of the last entry of an object that was considered. `''`: none yet. */
  readonly entry: string;
  /** The last name that was considered, in the form `<namespace>#<name>`. `''`: none yet. */
  readonly name: string;
}

/** The position before everything. */
export const BEGINNING: Position = { entry: '', name: '' };

/** No sort key of DynamoDB is longer, in bytes. What is longer was made up, and may cost as much as a list. */
const MAX_BYTES = 1024;

const PLACE = z.string().check(z.refine((text) => Buffer.byteLength(text) <= MAX_BYTES));
const POSITION = z.tuple([PLACE, PLACE]);

/** A position as the opaque text of a page. */
export function positionText({ entry, name }: Position): string {
  return stringifyJson([entry, name]);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The inverse of {@link positionText}. Undefined is the beginning.
 *
 * @throws InvalidContinuationError if the text is no such text
 */
export function parsePosition(text: string | undefined): Position {
  if (text === undefined) return BEGINNING;
  const result = POSITION.safeParse(parsed(text));
  if (!result.success) throw new InvalidContinuationError();
  const [entry, name] = result.data;
  return { entry, name };
}

/** The order of sort keys: that of their UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
