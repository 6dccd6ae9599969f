/**
 * A change that is stored here and of which others are notified by messages. The four steps are those of a transactional
 * outbox (docs/architecture.md, section 5, "The outbox").
 */
export interface Delivery<Entry> {
  /**
   * Stores a note for each entry: "not sent yet".
   *
   * @returns the entries whose note this process has put, or found as its own; `outdated` if there is none, since somebody
   *   else has noted something newer and delivers that.
   */
  note(): Promise<readonly Entry[] | 'outdated'>;
  /** Stores what the receivers of the messages will read. Absent: the note itself is what they read. */
  put?(entries: readonly Entry[]): Promise<unknown>;
  /** Sends the messages. */
  send(entries: readonly Entry[]): Promise<unknown>;
  /**
   * Stores that the messages were sent, unless something newer was noted meanwhile.
   *
   * @returns `outdated` if that was so and somebody has to look again; a delivery for which it makes no difference returns
   *   nothing.
   */
  markSent(entries: readonly Entry[]): Promise<'outdated' | undefined>;
}

/**
 * Notes, puts, sends, and notes as sent, in this order. A crash between two steps leaves a note that is not sent, so the
 * next delivery of the same change goes on from there: a message may be sent twice, and none is lost.
 *
 * @returns the entries of which messages were sent; `outdated` if a later revision has taken over.
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
