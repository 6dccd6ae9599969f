import { contentHash } from '#shared/content-hash.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { deliver } from '#shared/outbox/deliver.ts';
import { HEARD_PARTITION, type Heard, putHeard } from '#shared/state/heard.ts';
import { type Heartbeat, readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { createDestinationStore, type DestinationStore } from '#shared/state/membership.ts';
import { bindingMessages } from './binding-messages.ts';
import type { SettleSilenceDeps } from './settle-silence.ts';

const WEC = 'wec/';

/** The WECs that have come or gone since a list that all Bindings know; `undefined`: another source may have, too. */
async function changedWecs(
  lists: DestinationStore,
  { list, told }: Heard,
  names: readonly string[],
): Promise<{ readonly wecs?: readonly string[] }> {
  const before = list && told ? await lists.get(HEARD_PARTITION, list) : undefined;
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

/**
 * Stores which sources have ever sent a heartbeat, and notifies all Bindings if that is another list than before
 * ({@link deliver}; the entry is the note). While it is the same, one small item is read besides the heartbeats.
 *
 * Two sweeps at once: the note is replaced by compare-and-set, so a sweep that has read an older list stops.
 *
 * @param before the list as it was read before the heartbeats
 * @param heartbeats those of the WECs
 */
export async function tellHeard(
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
  if (before.told && before.list?.hash === contentHash(JSON.stringify(names))) return;
  const lists = createDestinationStore(store);
  const revision = before.revision + 1;
  await deliver<Required<Heard>>({
    async note() {
      const stored = { before: before.list, revision };
      const list = await lists.put(HEARD_PARTITION, names, stored);
      const heard = { list, revision, told: false };
      return (await putHeard(store, heard)) ? [heard] : 'outdated';
    },
    async send() {
      const changed = await changedWecs(lists, before, names);
      const messages = await bindingMessages(store, { ...changed, cause: `heard ${revision}` });
      if (messages.length > 0) await dirty.send(messages);
    },
    async markSent([heard]) {
      const { list } = heard as Required<Heard>;
      const sent = await putHeard(store, { list, revision: revision + 1, told: true });
      if (!sent) return 'outdated';
      await lists.removeBefore(HEARD_PARTITION, list);
      return undefined;
    },
  });
}
