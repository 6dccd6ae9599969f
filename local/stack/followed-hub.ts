import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { SORT } from '#shared/state/keys.ts';
import { FOLLOWED_HUB } from '#shared/state/wec-inventories.ts';

/** What the process needs to forget a hub. */
export interface HubDeps {
  readonly store: ItemStore;
  /** The events queue. */
  readonly events: MessageSender;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The source under which the epochs of the forwarder of a hub in this process are counted. Those of a WDS are counted there too. */
export function hubEpochSource(hub: string): EventSource {
  return { type: 'wds', name: hub };
}

/** Reports that a hub has been listed completely, after everything that this process has reported about it, and has nothing. */
async function reportEmpty({ store, events, clock }: HubDeps, hub: string): Promise<void> {
  const [item] = await store.get([{ pk: sourcePartition(hubEpochSource(hub)), sk: SORT.epoch }]);
  // The epochs of forwarders in other processes are later: they begin with the second of their start.
  const version = { epoch: Number(item?.version ?? 0) + 1, sequence: 1 };
  const source = { type: 'wec', name: hub } as const;
  const time = new Date(clock()).toISOString();
  const content = { type: 'hub-snapshot', since: version } as const;
  const body = encodeBatch([encodeEvent({ source, version, time, content })]);
  await events.send([{ body, group: sourceGroup(source) }]);
}

/**
 * Takes note of the hub whose ManagedClusters this process follows from now on. If it followed another one before, what it has
 * reported about that one is forgotten, because nobody follows it any more. Hubs that report by HTTP are not affected. After a crash at
 * any point, the next start completes the work.
 *
 * @param hub `undefined`: none
 */
export async function followHub(deps: HubDeps, hub: string | undefined): Promise<void> {
  const { store } = deps;
  const [item] = await store.get([FOLLOWED_HUB]);
  const former = item?.version;
  if (former === hub) return;
  if (former !== undefined) await reportEmpty(deps, former);
  if (hub === undefined) await store.delete([{ key: FOLLOWED_HUB }]);
  else await store.put([{ item: { ...FOLLOWED_HUB, version: hub } }]);
}
