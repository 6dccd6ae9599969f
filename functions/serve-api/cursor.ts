import * as z from 'zod/mini';
import { badRequest } from './problem.ts';

/** Two keys of a store, of at most 1,024 bytes each, as JSON and in base64. */
const MAX_LENGTH = 4096;

const sortKey = z.string().check(z.minLength(1), z.maxLength(1024));
const SCHEMA = z.strictObject({ group: z.optional(sortKey), after: z.optional(sortKey) });

/** Where a list goes on. */
export interface Place {
  /** The group of entries that is being listed; absent: the list has no groups. */
  readonly group?: string | undefined;
  /** The sort key of the last entry that was looked at in it; absent: none was. */
  readonly after?: string | undefined;
}

/** With what the keys of a list begin; absent: it has none. */
export type PlacePrefixes = Pick<Place, 'group' | 'after'>;

/** A place as a text that means nothing to others. */
export function encodeCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function isWithin(place: Place, prefixes: PlacePrefixes): boolean {
  const { group, after } = place;
  if ((group === undefined) !== (prefixes.group === undefined)) return false;
  if (group?.startsWith(prefixes.group ?? '') === false) return false;
  return after?.startsWith(prefixes.after ?? '') !== false;
}

/**
 * The place that a text of {@link encodeCursor} stands for.
 *
 * @throws Problem when it is another text, or one of another list.
 */
export function decodeCursor(text: string, prefixes: PlacePrefixes): Place {
  const result = text.length > MAX_LENGTH ? undefined : z.safeParse(SCHEMA, parsed(text));
  if (result?.success === true && isWithin(result.data, prefixes)) return result.data;
  throw badRequest('cursor is none that this list has given: leave it out to begin anew');
}
