import { ContentionError } from '#shared/errors.ts';
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

/** Of all who write at the same time one succeeds, so this many attempts are lost only if as many others succeeded. */
const MAX_ATTEMPTS = 1_000;

/**
 * Reads an item and puts what follows from it in its place. If something else has been put meanwhile, it starts again.
 *
 * @param change what follows from the item; `undefined`: there is none
 * @returns the result of the change that took effect
 * @throws ContentionError if something else was put each time; Error if the stored item has no version.
 */
export async function updateItem<Result>(
  store: ItemStore,
  key: ItemKey,
  change: (stored: Item | undefined) => Promise<Update<Result>> | Update<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const [stored] = await store.get([key]);
    if (stored !== undefined && stored.version === undefined)
      throw new Error(`the item ${key.pk} ${key.sk} has no version: it cannot be replaced`);
    const { item, result } = await change(stored);
    if (item === undefined) return result;
    if (await compareAndPut(store, item, stored?.version ?? '')) return result;
  }
  throw new ContentionError(`${key.pk} ${key.sk}`);
}
