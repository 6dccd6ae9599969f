import type { ItemStore } from '#shared/ports/item-store.ts';
import { redriversUntil } from '#shared/state/senders.ts';

/** Until when (milliseconds since the epoch) a principal may send dead letters again; 0 if it may not. */
export async function redriverUntil(store: ItemStore, principal: string): Promise<number> {
  return (await redriversUntil(store, [principal])).get(principal) ?? 0;
}
