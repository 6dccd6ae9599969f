import type { EventVersion } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { versionText } from '#shared/state/keys.ts';

function listedKey(upstream: string): ItemKey {
  return { pk: sourcePartition({ type: 'fleet', name: upstream }), sk: 'LISTED' };
}

/**
 * Stores that the forwarder of a management cluster has reported everything that existed at a version. The sweep that follows
 * the listing calls it. The sweep waits behind everything that had to be aggregated before.
 *
 * @returns whether this is the first time, also if it is called again for the same version
 */
export async function markListed(
  store: ItemStore,
  upstream: string,
  since: EventVersion,
): Promise<boolean> {
  const key = listedKey(upstream);
  const version = versionText(since);
  await store.put([{ item: { ...key, version }, condition: { type: 'absent' } }]);
  const [item] = await store.get([key]);
  return item?.version === version;
}

/**
 * Whether the forwarder of a management cluster has ever reported everything that exists. Before that, only a part is known,
 * and a status that follows from a part must not be written or compared.
 */
export async function isListed(store: ItemStore, upstream: string): Promise<boolean> {
  const [item] = await store.get([listedKey(upstream)]);
  return item !== undefined;
}
