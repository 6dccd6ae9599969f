import type { ChangeJournal, JournalEntry, JournaledKeys } from '#shared/ports/change-journal.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';

/** A store, and the journal of what is changed through it. */
export interface JournaledStore {
  readonly store: ItemStore;
  readonly journal: ChangeJournal;
}

/** The journal of a store in memory. */
export function journaled(
  inner: ItemStore,
  {
    keys,
    keptEntries = 20_000,
  }: { readonly keys: readonly JournaledKeys[]; readonly keptEntries?: number },
): JournaledStore {
  let entries: JournalEntry[] = [];
  let revision = 1_000_000;
  const listeners = new Set<() => void>();
  const add = ({ pk, sk }: ItemKey, isReplaced: boolean): void => {
    const isMeant = keys.some(
      (one) =>
        pk.startsWith(one.pk) && sk.startsWith(one.sk) && !(isReplaced && one.lives === true),
    );
    if (!isMeant) return;
    revision += 1;
    entries = [...entries, { revision, pk, sk }].slice(-keptEntries);
    for (const listener of [...listeners]) listener();
  };
  return {
    store: {
      ...inner,
      put: async (puts) => {
        const before = await inner.get(puts.map(({ item }) => item));
        const took = await inner.put(puts);
        for (const [index, { item }] of puts.entries())
          if (took[index] === true) add(item, before[index] !== undefined);
        return took;
      },
      delete: async (deletes) => {
        const before = await inner.get(deletes.map(({ key }) => key));
        const took = await inner.delete(deletes);
        for (const [index, { key }] of deletes.entries())
          if (took[index] === true && before[index] !== undefined) add(key, false);
        return took;
      },
    },
    journal: {
      revision: async () => revision,
      after: async (from) => {
        const oldest = entries[0]?.revision ?? revision + 1;
        if (from < oldest - 1) return undefined;
        return { revision, entries: entries.filter((one) => one.revision > from) };
      },
      subscribe: (listener) => {
        const own = (): void => listener();
        listeners.add(own);
        return () => listeners.delete(own);
      },
    },
  };
}
