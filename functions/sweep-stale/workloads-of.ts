import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { parseReportedEntry, RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/** The subjects of WECs' entries, each once, and the keys of the entries that cannot be read. */
export interface Entries {
  readonly subjects: Map<string, Subject>;
  readonly unreadable: Set<string>;
}

function addEntry({ subjects, unreadable }: Entries, { pk, sk }: Item): void {
  const subject = parseReportedEntry(sk)?.subject;
  if (subject === undefined) unreadable.add(`${pk} ${sk}`);
  else subjects.set(subjectPartition(subject), subject);
}

/** The workload objects for which these WECs have rows. */
export async function workloadsOf(
  store: ItemStore,
  wecs: readonly { readonly name: string }[],
): Promise<Entries> {
  const found: Entries = { subjects: new Map(), unreadable: new Set() };
  for (const { name } of wecs) {
    const entries = range(sourcePartition({ type: 'wec', name }), RANGE.reported);
    for await (const items of pages(store, entries))
      for (const item of items) addEntry(found, item);
  }
  return found;
}
