/** The primary key of an item. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** A stored item. It has at most {@link MAX_ITEM_BYTES}, keys included. */
export interface Item extends ItemKey {
  /** Orders the successive states of an item. Versions are compared as text, so numbers in them are zero-padded. */
  readonly version?: string;
  /** JSON text, or compressed bytes. Absent for an item that is only a marker. */
  readonly body?: string | Uint8Array;
  /** After this time (seconds since the epoch) the store may remove the item. Nothing relies on it. */
  readonly expiresAt?: number;
}

/**
 * When a put may take effect.
 * - `absent`: no item has the key.
 * - `newer`: no item has the key, or the stored item has no version or a smaller one than the item put.
 * - `succeeds`: like `newer`, but an item must have the key and must not have `expiresAt`.
 * - `unchanged`: the stored item has exactly this version.
 */
export type PutCondition =
  | { readonly type: 'absent' }
  | { readonly type: 'newer' }
  | { readonly type: 'succeeds' }
  | { readonly type: 'unchanged'; readonly version: string };

/** An item to store, and the condition. */
export interface Put {
  readonly item: Item;
  /** Without a condition, the item replaces any stored item. */
  readonly condition?: PutCondition;
}

/** An item to remove, and the condition. */
export interface Delete {
  readonly key: ItemKey;
  /** Only if the stored item has exactly this version. */
  readonly version?: string;
}

/** A range of items of one partition. */
export interface Query {
  readonly pk: string;
  /** The first sort key, inclusive. Default: the first of the partition. */
  readonly from?: string;
  /** The last sort key, inclusive. Default: the last of the partition. */
  readonly to?: string;
  /** The maximum number of items in a page. */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/** Some items of a range, and where the next ones begin. */
export interface Page {
  /** In the order of the sort keys (UTF-8 bytes). */
  readonly items: readonly Item[];
  /** Present as long as there may be more. A page may be empty and still have a cursor. */
  readonly cursor?: string;
}

/** DynamoDB's limit for an item, in bytes: keys, attribute names and values together. */
export const MAX_ITEM_BYTES = 400 * 1024;

/**
 * A key-value store with range queries inside a partition: what DynamoDB offers on one table without transactions, indexes or
 * streams. Every read is strongly consistent. Each put or delete is atomic, but a batch of them is not: after a crash or an
 * error, any subset of a batch may have taken effect.
 *
 * Every method may throw `StoreUnavailableError` (retryable). Then the outcome is unknown.
 */
export interface ItemStore {
  /** Reads the items of any number of keys, in the order of the keys; undefined if there is none. */
  get(keys: readonly ItemKey[], signal?: AbortSignal): Promise<readonly (Item | undefined)[]>;
  /** Reads one page of the items of a partition, in the order of their sort keys. */
  query(query: Query, signal?: AbortSignal): Promise<Page>;
  /**
   * Puts items with distinct keys. Returns for each, in the given order, whether it took effect (its condition was true).
   *
   * @throws ItemTooLargeError with the item, before anything is written.
   */
  put(puts: readonly Put[], signal?: AbortSignal): Promise<readonly boolean[]>;
  /** Deletes items. Returns for each whether its condition was true (deleting a missing item without a version: true). */
  delete(deletes: readonly Delete[], signal?: AbortSignal): Promise<readonly boolean[]>;
}
