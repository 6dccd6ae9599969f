import type { ItemStore } from '#shared/ports/item-store.ts';

const KEY = { pk: 'STATE', sk: 'ID' } as const;

/**
 * Reads the name of this state. If the state is new, the name is stored. So if a state is lost, the next one has another name.
 *
 * @param fresh the name of a new state, which was never used before
 */
export async function stateId(store: ItemStore, fresh: string): Promise<string> {
  await store.put([{ item: { ...KEY, version: fresh }, condition: { type: 'absent' } }]);
  const [item] = await store.get([KEY]);
  return item?.version ?? fresh;
}
