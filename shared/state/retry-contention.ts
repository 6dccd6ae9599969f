import { ContentionError } from '#shared/errors.ts';

/** So often work starts again before it is left to a later delivery of its message. */
const MAX_ATTEMPTS = 10;

/**
 * Tries until nothing that was read has changed before what follows from it was put.
 *
 * @param what names the work in the error
 * @param attempt whether it is done; false: something has changed meanwhile
 * @throws ContentionError when it has changed every time.
 */
export async function retryContention(
  what: string,
  attempt: () => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) if (await attempt()) return;
  throw new ContentionError(what);
}
