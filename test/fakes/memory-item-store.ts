import { checkItemSizes, itemBytes, MAX_PAGE_BYTES } from '#shared/adapters/item-size.ts';
import type {
  Delete,
  Item,
  ItemKey,
  ItemStore,
  Page,
  Put,
  Query,
} from '#shared/ports/item-store.ts';

const SURROGATE = /[\ud800-\udfff]/;

/** By UTF-8 bytes: the order of code units where there are no surrogates. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** An item that shares nothing with another one. */
function copyOf(item: Item): Item {
  return item.body instanceof Uint8Array ? { ...item, body: item.body.slice() } : { ...item };
}

function isNewer(item: Item, stored: Item | undefined): boolean {
  if (stored?.version === undefined) return true;
  return item.version !== undefined && compareText(stored.version, item.version) < 0;
}

function holds({ item, condition }: Put, stored: Item | undefined): boolean {
  switch (condition?.type) {
    case undefined:
      return true;
    case 'absent':
      return stored === undefined;
    case 'newer':
      return isNewer(item, stored);
    case 'succeeds':
      return stored !== undefined && stored.expiresAt === undefined && isNewer(item, stored);
    case 'unchanged':
      return stored?.version === condition.version;
  }
}

function isInRange({ sk }: Item, { from, to, cursor }: Query): boolean {
  return (
    (from === undefined || compareText(sk, from) >= 0) &&
    (to === undefined || compareText(sk, to) <= 0) &&
    (cursor === undefined || compareText(sk, cursor) > 0)
  );
}

function firstPage(items: readonly Item[], limit: number): Page {
  let bytes = 0;
  const rest = items.findIndex((item, index) => {
    bytes += itemBytes(item);
    return index > 0 && (index >= limit || bytes > MAX_PAGE_BYTES);
  });
  const last = items[rest - 1];
  return last === undefined ? { items } : { items: items.slice(0, rest), cursor: last.sk };
}

/** An item store in memory that removes what has expired when it is told to. */
interface ExpiringItemStore extends ItemStore {
  /** Removes the items whose time is over, in seconds since the epoch. */
  removeExpired(nowSeconds: number): void;
}

/** An item store in memory: a map for each partition, without time and without failures. */
export function createMemoryItemStore(): ItemStore {
  return createExpiringItemStore();
}

/** Like {@link createMemoryItemStore}. */
export function createExpiringItemStore(): ExpiringItemStore {
  const stored = new Map<string, Map<string, Item>>();
  const itemAt = ({ pk, sk }: ItemKey): Item | undefined => stored.get(pk)?.get(sk);
  const put = (one: Put): boolean => {
    const { pk, sk } = one.item;
    if (!holds(one, itemAt(one.item))) return false;
    const partition = stored.get(pk) ?? new Map<string, Item>();
    stored.set(pk, partition.set(sk, copyOf(one.item)));
    return true;
  };
  const remove = ({ key, version }: Delete): boolean => {
    if (version !== undefined && itemAt(key)?.version !== version) return false;
    stored.get(key.pk)?.delete(key.sk);
    return true;
  };
  return {
    get: async (keys) =>
      keys.map((key) => {
        const item = itemAt(key);
        return item === undefined ? undefined : copyOf(item);
      }),
    query: async (query) => {
      const items = [...(stored.get(query.pk)?.values() ?? [])]
        .filter((item) => isInRange(item, query))
        .sort((a, b) => compareText(a.sk, b.sk));
      const page = firstPage(items, query.limit ?? items.length);
      return { ...page, items: page.items.map(copyOf) };
    },
    put: async (puts) => {
      checkItemSizes(puts);
      return puts.map(put);
    },
    delete: async (deletes) => deletes.map(remove),
    removeExpired: (nowSeconds) => {
      for (const partition of stored.values())
        for (const { sk, expiresAt } of [...partition.values()])
          if (expiresAt !== undefined && expiresAt <= nowSeconds) partition.delete(sk);
    },
  };
}
