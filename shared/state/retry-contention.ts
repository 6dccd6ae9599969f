import { ContentionError } from '#shared/errors.ts';

/** The number of attempts, before the work is left to a later delivery of its message. */
const MAX_ATTEMPTS = 10;

/**
 * Repeats an attempt until nothing that it read has changed before it put its result.
 *
 * @param what the name of the work in the error
 * @param attempt returns whether it succeeded; false if something has changed meanwhile
 * @throws ContentionError if something changed every time.
 */
export async function retryContention(
  what: string,
  attempt: () => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) if (await attempt()) return;
  throw new ContentionError(what);
}
