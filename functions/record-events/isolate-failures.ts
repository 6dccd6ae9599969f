/** How items are tried, and what becomes of those that fail. */
export interface Isolation<Item> {
  readonly run: (items: readonly Item[]) => Promise<void>;
  /** Told of each item that failed by itself, or was not tried again because it is too late. */
  readonly onFailure: (item: Item, error: unknown) => void;
  /** Whether there is no time left to find out which items are at fault. */
  readonly isLate: () => boolean;
}

/**
 * Does something with items together if that works, else with one half and then the other, so that one item cannot hold
 * up the others.
 *
 * @returns the items that failed
 */
export async function isolateFailures<Item>(
  items: readonly Item[],
  trying: Isolation<Item>,
): Promise<ReadonlySet<Item>> {
  if (items.length === 0) return new Set();
  try {
    await trying.run(items);
    return new Set();
  } catch (error) {
    if (items.length === 1 || trying.isLate()) {
      for (const item of items) trying.onFailure(item, error);
      return new Set(items);
    }
  }
  const half = Math.ceil(items.length / 2);
  const first = await isolateFailures(items.slice(0, half), trying);
  const second = await isolateFailures(items.slice(half), trying);
  return new Set([...first, ...second]);
}
