import { contentHash } from '#shared/content-hash.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import { deliver } from '#shared/outbox/deliver.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { HEARD_PARTITION, type Heard, putHeard } from '#shared/state/heard.ts';
import { type Heartbeat, readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { createDestinationStore, type DestinationStore } from '#shared/state/membership.ts';
import { readAllTimedSubjects } from '#shared/state/silent-after.ts';
import { bindingMessages, type WecsChanged } from './binding-messages.ts';
import type { SettleSilenceDeps } from './settle-silence.ts';
import { workloadsOf } from './workloads-of.ts';

const WEC = 'wec/';

/**
 * The WECs that were added or removed since a list that all Bindings know. The result is empty if other sources may have been,
 * too.
 */
async function changedWecs(
  lists: DestinationStore,
  { list, notified }: Heard,
  names: readonly string[],
): Promise<{ readonly wecs?: readonly string[] }> {
  const before = list && notified ? await lists.get(HEARD_PARTITION, list) : undefined;
  if (before === undefined) return {};
  const now = new Set(names);
  const changed = [
    ...names.filter((name) => !before.set.has(name)),
    ...before.names.filter((name) => !now.has(name)),
  ];
  return changed.every((name) => name.startsWith(WEC))
    ? { wecs: changed.map((name) => name.slice(WEC.length)) }
    : {};
}

/** The messages for the workload objects that have a time and for which one of the WECs has rows. */
async function workloadMessages(
  store: ItemStore,
  { wecs, cause }: WecsChanged,
): Promise<readonly OutgoingMessage[]> {
  const timed = await readAllTimedSubjects(store);
  if (timed.size === 0) return [];
  const names = wecs?.map((name) => ({ name }));
  const { subjects } = names === undefined ? { subjects: timed } : await workloadsOf(store, names);
  return [...subjects]
    .filter(([partition, { type }]) => timed.has(partition) && type === 'workload')
    .map(([, subject]) => encodeDirty({ type: 'subject', subject, silence: true }, cause));
}

/**
 * Stores which sources have ever sent a heartbeat. If the list has changed, notifies all Bindings, and the workload objects
 * that have a time ({@link deliver}; the entry is the note). As long as the list stays the same, only one small item is read
 * besides the heartbeats.
 *
 * If two sweeps run at once, the compare-and-set of the note stops the sweep that has read an older list.
 *
 * @param before the list, read before the heartbeats
 * @param heartbeats the heartbeats of the WECs
 */
export async function notifyOfHeard(
  deps: SettleSilenceDeps,
  before: Heard,
  heartbeats: readonly Heartbeat[],
): Promise<void> {
  const { store, dirty } = deps;
  const wdses = await readSourceHeartbeats(store, 'wds');
  const names = [
    ...heartbeats.map(({ wec: name }) => sourceText({ type: 'wec', name })),
    ...wdses.map(({ name }) => sourceText({ type: 'wds', name })),
  ].sort();
  if (before.notified && before.list?.hash === contentHash(stringifyJson(names))) return;
  const lists = createDestinationStore(store);
  const revision = before.revision + 1;
  await deliver<Required<Heard>>({
    async note() {
      const stored = { before: before.list, revision };
      const list = await lists.put(HEARD_PARTITION, names, stored);
      const heard = { list, revision, notified: false };
      return (await putHeard(store, heard)) ? [heard] : 'outdated';
    },
    async send() {
      const changed = await changedWecs(lists, before, names);
      const cause = `heard ${revision}`;
      const bindings = await bindingMessages(store, { ...changed, cause });
      const messages = [...bindings, ...(await workloadMessages(store, { ...changed, cause }))];
      if (messages.length > 0) await dirty.send(messages);
    },
    async markSent([heard]) {
      const { list } = heard as Required<Heard>;
      const sent = await putHeard(store, { list, revision: revision + 1, notified: true });
      if (!sent) return 'outdated';
      await lists.removeBefore(HEARD_PARTITION, list);
      return undefined;
    },
  });
}
