import type { Item, ItemStore } from '#shared/ports/item-store.ts';

/**
 * Puts an item in the place of what was read.
 *
 * @param before the version of what was read; `''`: nothing stood there
 * @returns false when something else stands there now: start again
 */
export async function putOn(store: ItemStore, item: Item, before: string): Promise<boolean> {
  const [took] = await store.put([
    {
      item,
      condition: before === '' ? { type: 'absent' } : { type: 'unchanged', version: before },
    },
  ]);
  return took === true;
}
