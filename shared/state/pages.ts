import type { Item, ItemStore, Query } from '#shared/ports/item-store.ts';

/** The pages of a query, one after the other, each read when it is asked for. */
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
