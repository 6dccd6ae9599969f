import type { Item, ItemStore, Query } from '#shared/ports/item-store.ts';

/** The pages of a query, in order. Each page is read when it is needed. */
export async function* pages(
  store: ItemStore,
  query: Omit<Query, 'cursor'>,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const page = await store.query(cursor === undefined ? query : { ...query, cursor });
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
