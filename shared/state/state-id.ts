import type { ItemStore } from '#shared/ports/item-store.ts';

const KEY = { pk: 'STATE', sk: 'ID' } as const;

/**
 * What names this state: stored when it is new, so a state that was lost is followed by one of another name.
 *
 * @param fresh the name of a new state, never given before
 */
export async function stateId(store: ItemStore, fresh: string): Promise<string> {
  await store.put([{ item: { ...KEY, version: fresh }, condition: { type: 'absent' } }]);
  const [item] = await store.get([KEY]);
  return item?.version ?? fresh;
}
