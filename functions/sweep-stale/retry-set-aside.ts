import { parseSubject } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { nextTryMs, readSetAside, setAsideVersion } from '#shared/state/set-aside.ts';

/**
 * Sends a message to aggregate every subject that is set aside and whose pause has ended (docs/architecture.md, section 5, "A
 * subject that ends its process"). Any number may run at the same time, and may die at any point: a subject that was aggregated
 * successfully is no longer set aside.
 *
 * @returns the number of subjects that are set aside
 */
export async function retrySetAside(deps: {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
  readonly clock: () => number;
}): Promise<number> {
  const entries = await readSetAside(deps.store);
  const nowMs = deps.clock();
  const messages = entries
    .filter((entry) => nextTryMs(entry) <= nowMs)
    .map((entry) =>
      encodeDirty(
        { type: 'subject', subject: parseSubject(entry.pk) },
        `set aside ${setAsideVersion(entry)}`,
      ),
    );
  if (messages.length > 0) await deps.dirty.send(messages);
  return entries.length;
}
