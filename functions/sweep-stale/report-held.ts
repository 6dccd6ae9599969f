import { parseSubject } from '#shared/core/subject.ts';
import { encodeHint } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender, OutgoingMessage } from '#shared/ports/message-queue.ts';
import { isPartial, readHeadAndApplied } from '#shared/state/head.ts';
import { forgetHeld, type Held, isLongHeld, readHeld } from '#shared/state/held.ts';

/**
 * For Bindings that have been held for longer than a minute (docs/adr/0016), sends hints until the writer has added the error
 * to their status. Removes the entries of Bindings that are no longer held: a result that was applied, or is complete, does not
 * become incomplete again. As long as no Binding is held, there is only one query.
 */
export async function reportHeld(deps: {
  readonly store: ItemStore;
  readonly hints: MessageSender;
  readonly clock: () => number;
}): Promise<void> {
  const { store, hints } = deps;
  const nowMs = deps.clock();
  const over: Held[] = [];
  const messages: OutgoingMessage[] = [];
  for (const held of await readHeld(store)) {
    if (!isLongHeld(held, nowMs)) continue;
    const { head, applied } = await readHeadAndApplied(store, held.pk);
    if (!isPartial(head, applied)) over.push(held);
    else if (!held.reported)
      messages.push(encodeHint({ subject: parseSubject(held.pk), objects: [] }, `held ${nowMs}`));
  }
  if (messages.length > 0) await hints.send(messages);
  await forgetHeld(store, over);
}
