import type { Subject } from '#shared/core/subject.ts';
import { type ChangeTime, earliestChange } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import type { AggregateDeps } from './deps.ts';

/**
 * The entries of the Bindings that use something, and the time when that was changed. The sort key of an entry is a prefix and
 * the name of the Binding.
 */
export interface BindingEntries extends ChangeTime {
  /** The partition of the thing that the Bindings use. */
  readonly pk: string;
  readonly prefix: string;
  readonly wds: string;
}

/** Notifies the Bindings that have entries there. A Binding puts its entry before it reads the thing that it uses. */
export async function notifyBindings(
  deps: AggregateDeps,
  entries: BindingEntries,
  cause: string,
): Promise<void> {
  const { pk, prefix, wds } = entries;
  const change = earliestChange([entries]);
  for await (const items of pages(deps.store, range(pk, prefix))) {
    const messages = items.map(({ sk }) => {
      const subject: Subject = { type: 'binding', wds, name: sk.slice(prefix.length) };
      return encodeDirty({ type: 'subject', subject, ...change }, cause);
    });
    if (messages.length > 0) await deps.dirty.send(messages);
  }
}
