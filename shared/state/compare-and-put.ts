import { ContentionError } from '#shared/errors.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';

/**
 * Replaces the item that was read.
 *
 * @param before the version that was read; `''` if there was no item
 * @returns false if the stored item has changed: start again
 */
export async function compareAndPut(
  store: Pick<ItemStore, 'put'>,
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

/** The outcome of an item that was read. */
export interface Update<Result> {
  /** The item that replaces it. If it is absent, nothing is put. */
  readonly item?: Item;
  readonly result: Result;
}

/** Of several concurrent writers one succeeds. So this many attempts only fail if as many other writes succeeded. */
const MAX_ATTEMPTS = 1_000;

/**
 * Reads an item and replaces it. If the item has changed meanwhile, starts again.
 *
 * @param change computes the update from the item, or from undefined if there is none
 * @returns the result of the change that took effect
 * @throws ContentionError if the item changed each time; Error if the stored item has no version.
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
