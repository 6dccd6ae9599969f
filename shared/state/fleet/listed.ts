import type { EventVersion } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { versionText } from '#shared/state/keys.ts';

function listedKey(upstream: string): ItemKey {
  return { pk: sourcePartition({ type: 'fleet', name: upstream }), sk: 'LISTED' };
}

/**
 * Notes that the forwarder of a management cluster has told everything that stood at a version. It is noted by the sweep
 * that follows, which waits behind what had to be aggregated before.
 *
 * @returns whether that is the first time, also when this is called again
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
 * Whether the forwarder of a management cluster has ever told everything that stands. Until then what is known is a part, and
 * a status that follows from a part is none to be written, or to compare with.
 */
export async function isListed(store: ItemStore, upstream: string): Promise<boolean> {
  const [item] = await store.get([listedKey(upstream)]);
  return item !== undefined;
}
