import type { ItemStore } from '#shared/ports/item-store.ts';
import { readHeartbeats } from '#shared/state/heartbeats.ts';
import { readSilentWecs } from '#shared/state/silence.ts';

/**
 * When the forwarder of each silent WEC was last heard (RFC 3339), by WEC. A WEC that has sent a heartbeat since the last
 * sweep is not silent.
 *
 * @throws StoreUnavailableError
 */
export async function silentSince(store: ItemStore): Promise<ReadonlyMap<string, string>> {
  const silent = await readSilentWecs(store);
  if (silent.size === 0) return new Map();
  const heartbeats = await readHeartbeats(store);
  return new Map(
    heartbeats
      .filter(({ wec, version }) => silent.get(wec)?.heartbeat === version)
      .map(({ wec, heardMs }) => [wec, new Date(heardMs).toISOString()]),
  );
}
