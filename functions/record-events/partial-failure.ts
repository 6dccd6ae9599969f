/** How items are handled, and what happens to items that fail. */
export interface Isolation<Item> {
  readonly run: (items: readonly Item[]) => Promise<void>;
  /** Called for each item that failed by itself, or that was not retried because it was too late. */
  readonly onFailure: (item: Item, error: unknown) => void;
  /** Whether there is no time left to find out which items fail. */
  readonly isLate: () => boolean;
}

/**
 * Handles items together. If that fails, handles one half and then the other, so that one item does not block the others.
 *
 * @returns the items that failed
 */
export async function isolateFailures<Item>(
  items: readonly Item[],
  isolation: Isolation<Item>,
): Promise<ReadonlySet<Item>> {
  if (items.length === 0) return new Set();
  try {
    await isolation.run(items);
    return new Set();
  } catch (error) {
    if (items.length === 1 || isolation.isLate()) {
      for (const item of items) isolation.onFailure(item, error);
      return new Set(items);
    }
  }
  const half = Math.ceil(items.length / 2);
  const first = await isolateFailures(items.slice(0, half), isolation);
  const second = await isolateFailures(items.slice(half), isolation);
  return new Set([...first, ...second]);
}

/** The state of each message of a batch: open, then done or permanently failed. */
export class BatchOutcome {
  readonly #open: Set<string>;
  /** By error, so an outage is one line of the log instead of one for each message. */
  readonly #failures = new Map<unknown, string[]>();

  constructor(messageIds: readonly string[]) {
    this.#open = new Set(messageIds);
  }

  fail(messageId: string, error: unknown): void {
    if (!this.#open.delete(messageId)) return;
    const failed = this.#failures.get(error) ?? [];
    failed.push(messageId);
    this.#failures.set(error, failed);
  }

  /** Marks a message as done, unless it has failed. */
  done(messageId: string): void {
    this.#open.delete(messageId);
  }

  /** Fails every message that is still open. */
  failOpen(error: unknown): void {
    for (const messageId of [...this.#open]) this.fail(messageId, error);
  }

  get failures(): ReadonlyMap<unknown, readonly string[]> {
    return this.#failures;
  }
}
