import type { EventSource } from '#shared/core/event.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { sortableNumber, sourcePartition } from '#shared/state/keys.ts';

const SORT_KEY = 'EPOCH';

/** The epoch of a forwarder that starts now: greater than that of every one before it on this store. */
export async function nextEpoch(store: ItemStore, source: EventSource): Promise<number> {
  const key = { pk: sourcePartition(source), sk: SORT_KEY };
  for (;;) {
    const [item] = await store.get([key]);
    const epoch = Number(item?.version ?? 0) + 1;
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
