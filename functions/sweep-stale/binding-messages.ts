import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { parseReportedEntry, RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/** More names than these are left out of a message: it then concerns every Binding. */
const MAX_NAMES = 100;

/** What is to be said to Bindings. */
export interface WecsChanged {
  /** The WECs of which something else is known; absent: any. */
  readonly wecs?: readonly string[];
  /** As of {@link encodeDirty}. */
  readonly cause: string;
}

/** The message for a Binding that something else is known of some WECs: it looks if it sends to one of them. */
export function bindingMessage(subject: Subject, { wecs, cause }: WecsChanged): OutgoingMessage {
  const named = wecs !== undefined && wecs.length <= MAX_NAMES ? { wecs } : {};
  return encodeDirty({ type: 'subject', subject, silence: true, ...named }, cause);
}

/**
 * A message for each Binding and BindingPolicy that a WDS has ever told of. A WDS counts from its first heartbeat on: it then
 * changes the list of those that have sent one, of which every Binding is notified.
 */
export async function bindingMessages(
  store: ItemStore,
  changed: WecsChanged,
): Promise<readonly OutgoingMessage[]> {
  const subjects = new Map<string, Subject>();
  for (const { name } of await readSourceHeartbeats(store, 'wds')) {
    const entries = range(sourcePartition({ type: 'wds', name }), `${RANGE.reported}B#`);
    for await (const items of pages(store, entries))
      for (const { sk } of items) {
        const subject = parseReportedEntry(sk)?.subject;
        if (subject !== undefined) subjects.set(subjectPartition(subject), subject);
      }
  }
  return [...subjects.values()].map((subject) => bindingMessage(subject, changed));
}
