import { epochAt } from '#shared/core/epoch.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { updateItem } from '#shared/state/compare-and-put.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { parseVersionText, SORT, sortableNumber } from '#shared/state/keys.ts';

/**
 * The epoch of a forwarder that starts now in this process. It is greater than every earlier one in this store,
 * including the epochs of a forwarder program that has reported for the source. The epoch of a program begins with the
 * second in which it acquired its Lease. Likewise, this epoch begins with the current second. It is also greater than
 * the epoch of the last recorded heartbeat, in case the clock of the program's cluster is ahead.
 *
 * @param nowMs milliseconds since the Unix epoch
 * @throws ContentionError
 */
export async function nextEpoch(
  store: ItemStore,
  source: EventSource,
  nowMs: number,
): Promise<number> {
  const key = { pk: sourcePartition(source), sk: SORT.epoch };
  const now = epochAt(nowMs);
  return updateItem(store, key, async (item) => {
    const [heartbeat] = await store.get([heartbeatKey(source)]);
    const heard = parseVersionText(heartbeat?.version ?? '').epoch;
    const epoch = Math.max(Number(item?.version ?? 0) + 1, heard + 1, now);
    return { item: { ...key, version: sortableNumber(epoch) }, result: epoch };
  });
}
