/** What becomes of the messages of a batch: each is open until it is done or has failed, and then stays so. */
export class BatchOutcome {
  readonly #open: Set<string>;
  /** By what failed: an outage is one line of the log, not one for each message. */
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

  /** The message is done, if it has not failed. */
  done(messageId: string): void {
    this.#open.delete(messageId);
  }

  /** Every message that is still open fails. */
  failOpen(error: unknown): void {
    for (const messageId of [...this.#open]) this.fail(messageId, error);
  }

  get failures(): ReadonlyMap<unknown, readonly string[]> {
    return this.#failures;
  }
}
