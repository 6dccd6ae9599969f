import type { EventSource, EventVersion } from '#shared/core/event.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import {
  parseSeenKey,
  parseVersionText,
  RANGE,
  range,
  SORT,
  sourcePartition,
  versionText,
} from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { sendersOf, unregisterSender } from '#shared/state/senders.ts';
import { silenceKey } from '#shared/state/silence.ts';

/** What removing needs of the world. */
export interface RemoveWecDeps {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
}

/** What was removed of a WEC. */
export interface RemovedWec {
  /** Principals that may speak for it no more. */
  readonly principals: readonly string[];
  /** What it has said before this version is being swept; absent: it has never said anything. */
  readonly until?: EventVersion;
}

async function versionsOf(
  store: ItemStore,
  keys: readonly ItemKey[],
): Promise<readonly (string | undefined)[]> {
  return (await store.get(keys)).map((item) => item?.version);
}

/** The newest version of anything that a source has said, as text; `''`: it has said nothing. */
async function newestVersion(store: ItemStore, source: EventSource): Promise<string> {
  const pk = sourcePartition(source);
  let newest = '';
  const see = (versions: readonly (string | undefined)[]): void => {
    for (const version of versions) if (version !== undefined && version > newest) newest = version;
  };
  see(await versionsOf(store, [{ pk, sk: SORT.snapshot }, heartbeatKey(source)]));
  for await (const items of pages(store, range(pk, RANGE.seen))) {
    see(items.map(({ version }) => version));
    see(
      await versionsOf(
        store,
        items.map(({ sk }) => parseSeenKey(sk)),
      ),
    );
  }
  return newest;
}

/**
 * Removes a WEC for good: nobody speaks for it any more, it is not looked for when it is silent, and what it has said goes
 * as after an empty listing. Its forwarder shall be stopped before. To be called again after a crash, and when what
 * record-events remembers of its registration may have let something in since (a minute).
 *
 * The sweep reaches up to the newest version that is stored and hardly further, and its epoch stays known: a WEC of that name
 * that is registered again and whose forwarder starts anew is heard.
 */
export async function removeWec(deps: RemoveWecDeps, name: string): Promise<RemovedWec> {
  const { store, dirty } = deps;
  const source: EventSource = { type: 'wec', name };
  const registrations = await sendersOf(store, source);
  for (const registration of registrations) await unregisterSender(store, registration);
  const principals = registrations.map(({ principal }) => principal);
  const version = await newestVersion(store, source);
  const forget = async (): Promise<void> => {
    await store.delete([{ key: heartbeatKey(source) }, { key: silenceKey(name) }]);
  };
  if (version === '') {
    await forget();
    return { principals };
  }
  const { epoch, sequence } = parseVersionText(version);
  // A tombstone replaces what is older than it.
  const until = { epoch, sequence: sequence + 1 };
  const floor = { pk: sourcePartition(source), sk: SORT.snapshot, version: versionText(until) };
  await store.put([{ item: floor, condition: { type: 'newer' } }]);
  await dirty.send([
    encodeDirty({ type: 'sweep', source, since: until }, `remove ${name} ${version}`),
  ]);
  await forget();
  return { principals, until };
}
