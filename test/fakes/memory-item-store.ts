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

function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function mapKey({ pk, sk }: ItemKey): string {
  return JSON.stringify([pk, sk]);
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

/** An item store in memory: a map, without time and without failures. */
export function createMemoryItemStore(): ItemStore {
  const stored = new Map<string, Item>();
  const put = (one: Put): boolean => {
    const key = mapKey(one.item);
    if (!holds(one, stored.get(key))) return false;
    stored.set(key, structuredClone(one.item));
    return true;
  };
  const remove = ({ key, version }: Delete): boolean => {
    if (version !== undefined && stored.get(mapKey(key))?.version !== version) return false;
    stored.delete(mapKey(key));
    return true;
  };
  return {
    get: async (keys) => keys.map((key) => structuredClone(stored.get(mapKey(key)))),
    query: async (query) => {
      const items = [...stored.values()]
        .filter((item) => item.pk === query.pk && isInRange(item, query))
        .sort((a, b) => compareText(a.sk, b.sk));
      return structuredClone(firstPage(items, query.limit ?? items.length));
    },
    put: async (puts) => {
      checkItemSizes(puts);
      return puts.map(put);
    },
    delete: async (deletes) => deletes.map(remove),
  };
}
