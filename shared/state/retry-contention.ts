import { ContentionError } from '#shared/errors.ts';

/** The number of attempts, before the work is left to a later delivery of its message. */
const MAX_ATTEMPTS = 10;

/**
 * Repeats a read of several items until it finds them as they were at one time.
 *
 * @param what the name of what is read, in the error
 * @param read returns what it found; undefined if something has changed meanwhile
 * @throws ContentionError if something changed every time.
 */
export async function retryRead<T>(
  what: string,
  read: () => Promise<{ readonly found: T } | undefined>,
): Promise<T> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    const result = await read();
    if (result !== undefined) return result.found;
  }
  throw new ContentionError(what);
}

/**
 * Repeats an attempt until nothing that it read has changed before it put its result.
 *
 * @param what the name of the work in the error
 * @param attempt returns whether it succeeded; false if something has changed meanwhile
 * @throws ContentionError if something changed every time.
 */
export function retryContention(what: string, attempt: () => Promise<boolean>): Promise<void> {
  return retryRead(what, async () => ((await attempt()) ? { found: undefined } : undefined));
}
