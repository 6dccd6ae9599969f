import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';

/**
 * Puts an item in the place of what was read.
 *
 * @param before the version of what was read; `''`: nothing was there
 * @returns false if something else is there now: start again
 */
export async function compareAndPut(
  store: ItemStore,
  item: Item,
  before: string,
): Promise<boolean> {
  const [took] = await store.put([
    {
      item,
      condition: before === '' ? { type: 'absent' } : { type: 'unchanged', version: before },
    },
  ]);
  return took === true;
}

/** What follows from an item that was read. */
export interface Update<Result> {
  /** What is put in its place; absent: it stays. */
  readonly item?: Item;
  readonly result: Result;
}

/**
 * Reads an item and puts what follows from it in its place. If something else has been put meanwhile, it starts again.
 *
 * @param change what follows from the item; `undefined`: there is none
 * @returns the result of the change that took effect
 */
export async function updateItem<Result>(
  store: ItemStore,
  key: ItemKey,
  change: (stored: Item | undefined) => Promise<Update<Result>> | Update<Result>,
): Promise<Result> {
  for (;;) {
    const [stored] = await store.get([key]);
    const { item, result } = await change(stored);
    if (item === undefined) return result;
    if (await compareAndPut(store, item, stored?.version ?? '')) return result;
  }
}
