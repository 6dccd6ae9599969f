import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { parseReportedEntry, RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/** The maximum number of names in a message. With more, the message concerns every Binding. */
const MAX_NAMES = 100;

/** What Bindings are notified of. */
export interface WecsChanged {
  /** The WECs whose stored state has changed. Absent if any may have. */
  readonly wecs?: readonly string[];
  /** As in {@link encodeDirty}. */
  readonly cause: string;
}

/**
 * The message which notifies a Binding that the stored state of some WECs has changed. The Binding checks whether it sends to
 * one of them.
 */
export function bindingMessage(subject: Subject, { wecs, cause }: WecsChanged): OutgoingMessage {
  const named = wecs !== undefined && wecs.length <= MAX_NAMES ? { wecs } : {};
  return encodeDirty({ type: 'subject', subject, silence: true, ...named }, cause);
}

/**
 * A message for each Binding and BindingPolicy that a WDS has ever reported. A WDS counts from its first heartbeat on: the
 * heartbeat changes the list of sources that have sent one, and every Binding is notified of that list.
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
