import { lastEpochAt, MAX_SEQUENCE } from '#shared/core/epoch.ts';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { Item, ItemStore, Put } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';

import { heartbeatKey } from '#shared/state/heartbeats.ts';
import {
  parseReportedKey,
  parseVersionText,
  RANGE,
  range,
  SORT,
  versionText,
} from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { decodeRow, tombstoneBody, tombstoneExpiry } from '#shared/state/rows.ts';
import { sendersOf, unregisterSender } from '#shared/state/senders.ts';
import { silenceKey } from '#shared/state/silence.ts';
import { readSilentAfterTimes } from '#shared/state/silent-after.ts';

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

/** Older than whatever a forwarder says. */
const OLDEST = versionText({ epoch: 0, sequence: 0 });

/** What the entries of a page speak of, and the entries. */
async function readSaid(store: ItemStore, entries: readonly Item[]): Promise<readonly Item[]> {
  const said = await store.get(entries.map(({ sk }) => parseReportedKey(sk)));
  return [...said.flatMap((item) => item ?? []), ...entries];
}

/**
 * Makes items as old as can be, unless they have changed meanwhile: of a row a tombstone remains. The sweep finds them then,
 * tells their subjects, and forgets the entries.
 */
async function outdate(store: ItemStore, items: readonly Item[], nowMs: number): Promise<void> {
  await store.put(
    items.map((item): Put => {
      const { pk, sk, version = '' } = item;
      const condition = { type: 'unchanged', version } as const;
      if (!sk.startsWith(RANGE.row)) return { item: { pk, sk, version: OLDEST }, condition };
      const body = tombstoneBody(decodeRow(item).wec);
      const expiresAt = tombstoneExpiry(nowMs);
      return { item: { pk, sk, version: OLDEST, body, expiresAt }, condition };
    }),
  );
}

/**
 * The newest version of anything that a source has said, as text; `''`: it has said nothing. What has a version that no
 * clock has given yet would keep every later forwarder from being heard: it counts as the oldest, here and in the store.
 */
async function newestVersion(
  store: ItemStore,
  source: EventSource,
  nowMs: number,
): Promise<string> {
  const pk = sourcePartition(source);
  const limit = versionText({ epoch: lastEpochAt(nowMs), sequence: MAX_SEQUENCE });
  let newest = '';
  const see = async (items: readonly Item[]): Promise<void> => {
    for (const { version = '' } of items) {
      const counts = version > limit ? OLDEST : version;
      if (counts > newest) newest = counts;
    }
    await outdate(
      store,
      items.filter(({ version = '' }) => version > limit),
      nowMs,
    );
  };
  const marks = await store.get([{ pk, sk: SORT.snapshot }, heartbeatKey(source)]);
  await see(marks.flatMap((item) => item ?? []));
  for await (const entries of pages(store, range(pk, RANGE.reported)))
    await see(await readSaid(store, entries));
  return newest;
}

/** An epoch that follows from what was said with one that is ahead of the clock. */
async function forgetForgedEpoch(
  store: ItemStore,
  source: EventSource,
  nowMs: number,
): Promise<void> {
  const key = { pk: sourcePartition(source), sk: SORT.epoch };
  const [item] = await store.get([key]);
  if (Number(item?.version ?? 0) > lastEpochAt(nowMs)) await store.delete([{ key }]);
}

/**
 * Removes a WEC for good: nobody speaks for it any more, it is not looked for when it is silent, and what it has said goes
 * as after an empty listing. Its forwarder shall be stopped before. To be called again after a crash, and when what
 * record-events remembers of its registration may have let something in since (a minute).
 *
 * The sweep reaches up to the newest version that is stored and hardly further, and its epoch stays known: a WEC of that name
 * that is registered again and whose forwarder starts anew is heard. What was said with an epoch that is ahead of the clock
 * counts as the oldest, since no floor may stand there. What the removed forwarder has said before and comes late is older than the
 * floor, or not from a sender that is registered.
 *
 * @param nowMs milliseconds since 1970
 */
export async function removeWec(
  deps: RemoveWecDeps,
  name: string,
  nowMs: number,
): Promise<RemovedWec> {
  const { store, dirty } = deps;
  const source: EventSource = { type: 'wec', name };
  const registrations = await sendersOf(store, source);
  for (const registration of registrations) await unregisterSender(store, registration);
  const principals = registrations.map(({ principal }) => principal);
  const version = await newestVersion(store, source, nowMs);
  const { epoch, sequence } = parseVersionText(version);
  // A tombstone replaces what is older than it. Also of one that has said nothing: somebody may wait for it to tell all.
  const until = version === '' ? { epoch: 0, sequence: 0 } : { epoch, sequence: sequence + 1 };
  const floor = { pk: sourcePartition(source), sk: SORT.snapshot, version: versionText(until) };
  await store.put([{ item: floor, condition: { type: 'newer' } }]);
  await dirty.send([
    encodeDirty({ type: 'sweep', source, since: until }, `remove ${name} ${version}`),
  ]);
  await forgetForgedEpoch(store, source, nowMs);
  const times = await readSilentAfterTimes(store);
  const silences = [{}, ...times.map((silentAfterMs) => ({ silentAfterMs }))];
  await store.delete(
    [heartbeatKey(source), ...silences.map((place) => silenceKey(name, place))].map((key) => ({
      key,
    })),
  );
  return version === '' ? { principals } : { principals, until };
}
