import { diskFullIn } from '#shared/adapters/sqlite/database.ts';

/** If an error has not occurred for this long, it is over. */
const OVER_AFTER_MS = 60_000;
/** At most this many errors are remembered. */
const MAX_ERRORS = 100;

/**
 * Shows each error once as long as it lasts: again only if it has not occurred for a minute. If the disk is full, every operation
 * fails with an error of its own, which are all shown as one.
 *
 * @param show is called with an error that the user does not know yet
 * @param clock milliseconds
 * @returns to be called with each error
 */
export function showOnce(
  show: (message: string) => void,
  clock: () => number,
): (message: string) => void {
  const lastMs = new Map<string, number>();
  return (message) => {
    const text = diskFullIn(message) ?? message;
    const now = clock();
    const last = lastMs.get(text);
    // The oldest one is the first of the map.
    lastMs.delete(text);
    lastMs.set(text, now);
    const [oldest] = lastMs.keys();
    if (lastMs.size > MAX_ERRORS && oldest !== undefined) lastMs.delete(oldest);
    if (last === undefined || now - last >= OVER_AFTER_MS) show(text);
  };
}
