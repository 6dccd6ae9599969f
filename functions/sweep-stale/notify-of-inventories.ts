import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import {
  announceInventories,
  forgetChangedInventories,
  readChangedInventories,
} from '#shared/state/wec-inventories.ts';
import { bindingMessages } from './binding-messages.ts';

/**
 * Notifies the Bindings of the WECs whose labels or annotations have changed, and then removes the notes. Each Binding that
 * sends to one of them notifies those of its objects whose collectors read labels. After a crash, the notes are still there, and
 * the next run starts again. As long as nothing changes, it reads one empty page.
 *
 * @returns the names of these WECs
 */
export async function notifyOfInventories(deps: {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
}): Promise<readonly string[]> {
  const { store, dirty } = deps;
  const changed = await readChangedInventories(store);
  if (changed.length === 0) return [];
  const wecs = changed.map(({ wec }) => wec);
  const token = await announceInventories(store);
  const messages = await bindingMessages(store, { wecs, cause: `inventory ${token}` });
  if (messages.length > 0) await dirty.send(messages);
  await forgetChangedInventories(store, changed);
  return wecs;
}
