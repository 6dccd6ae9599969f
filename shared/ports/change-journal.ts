import type { ItemKey } from './item-store.ts';

/** Items whose changes a journal records: both keys begin so. */
export interface JournaledKeys {
  readonly pk: string;
  readonly sk: string;
  /** Only that an item begins to exist or ends, and not that it is replaced. */
  readonly lives?: true;
}

/** That an item was put, replaced or removed. */
export interface JournalEntry extends ItemKey {
  /** An integer. Each entry has a greater one than the entries before. */
  readonly revision: number;
}

/** Some entries of a journal. */
export interface JournalEntries {
  /** The revision of the last entry of the journal. */
  readonly revision: number;
  /** In the order in which the changes took effect. */
  readonly entries: readonly JournalEntry[];
}

/**
 * The last changes of an item store, by whichever process or thread. An entry exists exactly if its change took effect. The journal
 * has no content: a reader reads the item as it is now.
 *
 * Every method but `subscribe` may throw `StoreUnavailableError` (retryable).
 */
export interface ChangeJournal {
  /** The revision of the last change. It never decreases, even if the state was lost. */
  revision(): Promise<number>;
  /** The entries after a revision. Undefined if the journal no longer has all of them. */
  after(revision: number): Promise<JournalEntries | undefined>;
  /**
   * Calls a function whenever there may be new entries. It may be called without one, and once for many.
   *
   * @returns ends the subscription
   */
  subscribe(listener: () => void): () => void;
}
