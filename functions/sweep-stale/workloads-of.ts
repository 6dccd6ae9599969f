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

/** How many subjects are kept. They take about 100 MB at most, of the 512 MB of the function. */
const MAX_KEPT = 100_000;

/**
 * The entries of WECs for several questions in one sweep: each WEC is read once, as long as there is room to keep what was read.
 * Without it, a WEC with many rows would be read once for each time of `starfold.dev/silent-after`.
 */
export class KeptEntries {
  /** The keys of the entries that cannot be read. */
  readonly unreadable = new Set<string>();
  readonly #store: ItemStore;
  readonly #maxKept: number;
  readonly #kept = new Map<string, ReadonlyMap<string, Subject>>();
  #size = 0;

  constructor(store: ItemStore, maxKept = MAX_KEPT) {
    this.#store = store;
    this.#maxKept = maxKept;
  }

  /** The workload objects for which these WECs have rows, by partition. */
  async of(wecs: readonly { readonly name: string }[]): Promise<ReadonlyMap<string, Subject>> {
    const all = new Map<string, Subject>();
    for (const { name } of wecs)
      for (const [partition, subject] of await this.#of(name)) all.set(partition, subject);
    return all;
  }

  async #of(name: string): Promise<ReadonlyMap<string, Subject>> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const { subjects, unreadable } = await workloadsOf(this.#store, [{ name }]);
    for (const key of unreadable) this.unreadable.add(key);
    if (this.#size + subjects.size > this.#maxKept) return subjects;
    this.#size += subjects.size;
    this.#kept.set(name, subjects);
    return subjects;
  }
}
