/** Primary key of an item. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** One stored item: at most {@link MAX_ITEM_BYTES}, keys included. */
export interface Item extends ItemKey {
  /** Orders the states of an item that has several: compared as text, so numbers in it are zero-padded. */
  readonly version?: string;
  /** JSON text, or compressed bytes; absent for an item that only marks something. */
  readonly body?: string | Uint8Array;
  /** After this time (seconds since the epoch) the store may drop the item. Nothing relies on it. */
  readonly expiresAt?: number;
}

/**
 * When a put may take effect.
 * - `absent`: no item has the key.
 * - `newer`: no item has the key, or the stored item has no version or a smaller one than the item put.
 * - `succeeds`: as `newer`, but an item has the key, and it has no `expiresAt`.
 * - `unchanged`: the stored item has exactly this version.
 */
export type PutCondition =
  | { readonly type: 'absent' }
  | { readonly type: 'newer' }
  | { readonly type: 'succeeds' }
  | { readonly type: 'unchanged'; readonly version: string };

/** An item to store, and on which condition. */
export interface Put {
  readonly item: Item;
  /** Without a condition the item replaces whatever is there. */
  readonly condition?: PutCondition;
}

/** An item to remove, and on which version of it. */
export interface Delete {
  readonly key: ItemKey;
  /** Only if the stored item has exactly this version. */
  readonly version?: string;
}

/** A range of items of one partition. */
export interface Query {
  readonly pk: string;
  /** Sort keys from here, inclusive; default: the first. */
  readonly from?: string;
  /** Sort keys up to here, inclusive; default: the last. */
  readonly to?: string;
  /** At most so many items in a page. */
  readonly limit?: number;
  /** The `cursor` of the page before. */
  readonly cursor?: string;
}

/** Some items of a range, and where the next ones begin. */
export interface Page {
  /** In the order of the sort keys (UTF-8 bytes). */
  readonly items: readonly Item[];
  /** Present while there may be more. A page may be empty and still have one. */
  readonly cursor?: string;
}

/** DynamoDB's limit for an item, in bytes: keys, attribute names and values together. */
export const MAX_ITEM_BYTES = 400 * 1024;

/**
 * A key-value store with range queries inside a partition: what DynamoDB offers on one table without transactions,
 * indexes or streams. Every read is strongly consistent; each put or delete is atomic by itself, a batch of them is not:
 * after a crash or an error any subset of a batch may have taken effect.
 *
 * Every method may throw `StoreUnavailableError` (retryable): then nothing is known of the outcome.
 */
export interface ItemStore {
  /** The items under the keys, in the order of the keys; `undefined` where there is none. Any number of keys. */
  get(keys: readonly ItemKey[], signal?: AbortSignal): Promise<readonly (Item | undefined)[]>;
  /** One page of the items of a partition, in the order of their sort keys. */
  query(query: Query, signal?: AbortSignal): Promise<Page>;
  /**
   * Puts items; for each, in the order given, whether it took effect (its condition held). Keys are distinct.
   *
   * @throws ItemTooLargeError naming the item, before anything is written.
   */
  put(puts: readonly Put[], signal?: AbortSignal): Promise<readonly boolean[]>;
  /** Deletes items; for each whether its condition held (deleting an absent item without a version: true). */
  delete(deletes: readonly Delete[], signal?: AbortSignal): Promise<readonly boolean[]>;
}
