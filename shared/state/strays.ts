import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import type { Applied, Head } from '#shared/state/head.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

type Objects = readonly { readonly namespace: string; readonly name: string }[];

/** How long objects are listed: until a subject is first written, or until it is no longer set aside. */
export type StrayList = 'awaiting' | 'set-aside';

const PREFIX: Readonly<Record<StrayList, string>> = {
  awaiting: 'STRAY#',
  'set-aside': 'ASIDESTRAY#',
};

function strayKey(list: StrayList, pk: string, { namespace, name }: Objects[number]): ItemKey {
  return { pk, sk: `${PREFIX[list]}${namespace}/${name}` };
}

/** Stores objects that have to be checked later. */
export async function putStrays(
  store: ItemStore,
  { pk, list = 'awaiting' }: { readonly pk: string; readonly list?: StrayList },
  objects: Objects,
): Promise<void> {
  if (objects.length === 0) return;
  const keys = new Map(objects.map((object) => [JSON.stringify(object), object]));
  await store.put([...keys.values()].map((object) => ({ item: strayKey(list, pk, object) })));
}

/** Reads the objects that are listed for the writer. Empty if nothing was awaited, or if something is applied. */
export async function readStrays(
  store: ItemStore,
  { pk, head, applied }: { readonly pk: string; readonly head: Head; readonly applied: Applied },
): Promise<Objects> {
  return head.awaits === undefined || applied.hash !== '' ? [] : readNoted(store, 'awaiting', pk);
}

/** Reads the objects on a list of a subject. Strongly consistent. */
export async function readNoted(store: ItemStore, list: StrayList, pk: string): Promise<Objects> {
  const prefix = PREFIX[list];
  const found: Objects[number][] = [];
  for await (const items of pages(store, range(pk, prefix)))
    for (const { sk } of items) {
      const [namespace = '', name = ''] = sk.slice(prefix.length).split('/');
      found.push({ namespace, name });
    }
  return found;
}

/** Removes objects that have been checked. */
export async function forgetStrays(
  store: ItemStore,
  { pk, list = 'awaiting' }: { readonly pk: string; readonly list?: StrayList },
  objects: Objects,
): Promise<void> {
  if (objects.length > 0)
    await store.delete(objects.map((object) => ({ key: strayKey(list, pk, object) })));
}
