import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue, OutgoingMessage } from '#shared/ports/message-queue.ts';
import { type Subject, subjectPartition } from '#shared/state/keys.ts';
import type { SpecStore } from '#shared/state/specs.ts';

/** What recording needs of the world. */
export interface RecordDeps {
  readonly store: ItemStore;
  readonly specs: SpecStore;
  readonly dirty: MessageQueue;
  readonly hints: MessageQueue;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Work that follows from recorded events, gathered so that a subject is told once for each invocation. */
export class Consequences {
  readonly #wecs = new Map<string, { subject: Subject; wecs: Set<string>; causes: string[] }>();

  /** The results of a subject may be out of date; `wec` names the row that changed, if a row did. */
  add(subject: Subject, cause: string, wec?: string): void {
    const key = subjectPartition(subject);
    let entry = this.#wecs.get(key);
    if (entry === undefined) {
      entry = { subject, wecs: new Set(), causes: [] };
      this.#wecs.set(key, entry);
    }
    entry.causes.push(cause);
    if (wec !== undefined) entry.wecs.add(wec);
  }

  /** The messages, one for each subject. */
  messages(): OutgoingMessage[] {
    return [...this.#wecs.values()].map(({ subject, wecs, causes }) =>
      encodeDirty(
        { type: 'subject', subject, ...(wecs.size > 0 ? { wecs: [...wecs].sort() } : {}) },
        causes.sort().join(' '),
      ),
    );
  }
}
