import { epochAt } from '#shared/core/epoch.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { parseVersionText, SORT, sortableNumber } from '#shared/state/keys.ts';

/**
 * The epoch of a forwarder that starts now in this process: greater than that of every one before it on this store, also
 * than that of a forwarder program that has spoken for the source. The epoch of a program begins with the second in which
 * it took its Lease; so does this one with the current second, and it is greater than that of the last heartbeat that was
 * recorded, in case the clock of the program's cluster is ahead.
 *
 * @param nowMs milliseconds since the epoch (of Unix)
 */
export async function nextEpoch(
  store: ItemStore,
  source: EventSource,
  nowMs: number,
): Promise<number> {
  const key = { pk: sourcePartition(source), sk: SORT.epoch };
  const now = epochAt(nowMs);
  for (;;) {
    const [item, heartbeat] = await store.get([key, heartbeatKey(source)]);
    const heard = parseVersionText(heartbeat?.version ?? '').epoch;
    const epoch = Math.max(Number(item?.version ?? 0) + 1, heard + 1, now);
    const [took] = await store.put([
      {
        item: { ...key, version: sortableNumber(epoch) },
        condition:
          item?.version === undefined
            ? { type: 'absent' }
            : { type: 'unchanged', version: item.version },
      },
    ]);
    if (took === true) return epoch;
  }
}
