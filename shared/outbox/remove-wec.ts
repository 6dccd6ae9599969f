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
import { notifiedKey } from '#shared/state/notified.ts';
import { pages } from '#shared/state/pages.ts';
import { decodeRow, tombstoneBody, tombstoneExpiry } from '#shared/state/rows.ts';
import { sendersOf, unregisterSender } from '#shared/state/senders.ts';
import { silenceKey } from '#shared/state/silence.ts';
import { readSilentAfterTimes } from '#shared/state/silent-after.ts';
import { removeWecInventory } from '#shared/state/wec-inventories.ts';

/** What the removal of a WEC needs from outside. */
export interface RemoveWecDeps {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
}

/** The result of the removal of a WEC. */
export interface RemovedWec {
  /** The principals that may no longer report for it. */
  readonly principals: readonly string[];
  /** Everything that it has reported before this version is being swept. Absent if it has never reported anything. */
  readonly until?: EventVersion;
}

/**
 * Older than every version of a forwarder, and newer than that of an earlier removal: the messages of two removals of one WEC must
 * differ, because a queue drops what it already had in the last five minutes.
 */
function oldestVersion(nowMs: number): string {
  return versionText({ epoch: 0, sequence: nowMs });
}

/** Reads the items of a page of entries. Returns these items and the entries. */
async function readSaid(store: ItemStore, entries: readonly Item[]): Promise<readonly Item[]> {
  const reported = await store.get(entries.map(({ sk }) => parseReportedKey(sk)));
  return [...reported.flatMap((item) => item ?? []), ...entries];
}

/**
 * Gives items the oldest version, unless they have changed meanwhile. A row becomes a tombstone. The sweep then finds the
 * items, notifies their subjects, and removes the entries.
 */
async function outdate(store: ItemStore, items: readonly Item[], nowMs: number): Promise<void> {
  const oldest = oldestVersion(nowMs);
  await store.put(
    items.map((item): Put => {
      const { pk, sk, version = '' } = item;
      const condition = { type: 'unchanged', version } as const;
      if (!sk.startsWith(RANGE.row)) return { item: { pk, sk, version: oldest }, condition };
      const body = tombstoneBody(decodeRow(item).wec);
      const expiresAt = tombstoneExpiry(nowMs);
      return { item: { pk, sk, version: oldest, body, expiresAt }, condition };
    }),
  );
}

/**
 * The newest version of everything that a source has reported, as text; `''` if it has reported nothing. A version that is
 * ahead of the clock would prevent every later forwarder from being recorded. Therefore it counts as the oldest, here and in
 * the store.
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
      const counts = version > limit ? oldestVersion(nowMs) : version;
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

/** Removes a stored epoch that is ahead of the clock. */
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
 * Removes a WEC permanently. No sender may report for it any more, it is no longer checked for silence, and everything that it
 * has reported is removed as after an empty listing. Stop its forwarder first. Call this function again after a crash. Also
 * call it again after a minute, because until then record-events may have recorded something with a cached registration.
 *
 * The sweep only reaches up to the newest stored version, and the source's epoch stays known. So if a WEC of that name is
 * registered again and its forwarder starts again, its events are recorded. Everything that was reported with an epoch ahead of
 * the clock counts as the oldest, because a snapshot version must not be ahead of the clock. A late event of the removed
 * forwarder is older than the snapshot version, or does not come from a registered sender.
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
  // A tombstone replaces everything that is older than it. A WEC that has reported nothing needs a snapshot version too,
  // because subjects may wait until it has reported everything.
  const until = version === '' ? { epoch: 0, sequence: 0 } : { epoch, sequence: sequence + 1 };
  const snapshot = { pk: sourcePartition(source), sk: SORT.snapshot, version: versionText(until) };
  await store.put([{ item: snapshot, condition: { type: 'newer' } }]);
  await dirty.send([
    encodeDirty({ type: 'sweep', source, since: until }, `remove ${name} ${version}`),
  ]);
  await forgetForgedEpoch(store, source, nowMs);
  const times = await readSilentAfterTimes(store);
  const silences = [{}, ...times.map((silentAfterMs) => ({ silentAfterMs }))];
  await store.delete(
    [
      heartbeatKey(source),
      notifiedKey({ type: 'silence', wec: name }),
      ...silences.map((scope) => silenceKey(name, scope)),
    ].map((key) => ({ key })),
  );
  await removeWecInventory(store, name);
  return version === '' ? { principals } : { principals, until };
}
