/**
 * A change that is stored here, and of which others are notified by messages. The four steps are those of a transactional
 * outbox (docs/architecture.md, section 5, "5. Fan-out").
 */
export interface Delivery<Entry> {
  /**
   * Stores a note for each entry: "not sent yet".
   *
   * @returns the entries whose note this process has put, or found as its own; `outdated` if there is none, because another
   * process has put a newer note and delivers that.
   */
  note(): Promise<readonly Entry[] | 'outdated'>;
  /** Stores what the receivers of the messages will read. If it is absent, they read the note itself. */
  put?(entries: readonly Entry[]): Promise<unknown>;
  /** Sends the messages. */
  send(entries: readonly Entry[]): Promise<unknown>;
  /**
   * Stores that the messages were sent, unless something newer was noted meanwhile.
   *
   * @returns `outdated` if something newer was noted and the caller has to look again. A delivery for which that makes no
   * difference returns nothing.
   */
  markSent(entries: readonly Entry[]): Promise<'outdated' | undefined>;
}

/**
 * Puts the note, puts what the receivers read, sends, and notes as sent, in this order. A crash between two steps leaves a note
 * that is not sent. The next delivery of the same change continues from there. So a message may be sent twice, but none is
 * lost.
 *
 * @returns the entries whose messages were sent; `outdated` if a later revision has taken over.
 */
export async function deliver<Entry>(
  delivery: Delivery<Entry>,
): Promise<readonly Entry[] | 'outdated'> {
  const entries = await delivery.note();
  if (entries === 'outdated') return entries;
  await delivery.put?.(entries);
  await delivery.send(entries);
  return (await delivery.markSent(entries)) ?? entries;
}
