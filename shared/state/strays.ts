import type { HintMessage } from '#shared/messages/dirty.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import type { Applied, Head } from '#shared/state/head.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

type Objects = HintMessage['objects'];

const STRAY = 'STRAY#';

function strayKey(pk: string, { namespace, name }: Objects[number]): ItemKey {
  return { pk, sk: `${STRAY}${namespace}/${name}` };
}

/** Notes objects that are to be looked at when a subject is first written. */
export async function putStrays(store: ItemStore, pk: string, objects: Objects): Promise<void> {
  const keys = new Map(objects.map((object) => [strayKey(pk, object).sk, strayKey(pk, object)]));
  await store.put([...keys.values()].map((item) => ({ item })));
}

/** The objects that were noted: none where nothing was awaited, or something has been applied. */
export async function readStrays(
  store: ItemStore,
  { pk, head, applied }: { readonly pk: string; readonly head: Head; readonly applied: Applied },
): Promise<Objects> {
  if (head.awaits === undefined || applied.revision > 0) return [];
  const found: Objects[number][] = [];
  for await (const items of pages(store, range(pk, STRAY)))
    for (const { sk } of items) {
      const [namespace = '', name = ''] = sk.slice(STRAY.length).split('/');
      found.push({ namespace, name });
    }
  return found;
}

/** Removes the notes of objects that have been looked at. */
export async function forgetStrays(store: ItemStore, pk: string, objects: Objects): Promise<void> {
  if (objects.length > 0)
    await store.delete(objects.map((object) => ({ key: strayKey(pk, object) })));
}
