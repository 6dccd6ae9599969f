import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { parseReportedKey, range, reportedKey, SORT } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/** At most this many keys are returned at once. */
const AT_ONCE = 20;

/** Reads the keys of the Bindings that a WDS has reported, some at a time. */
export async function* reportedBindings(
  store: ItemStore,
  wds: string,
): AsyncGenerator<readonly ItemKey[]> {
  const source = { type: 'wds', name: wds } as const;
  const { sk: prefix } = reportedKey(source, { pk: `B#${wds}/`, sk: '' });
  const entries = range(sourcePartition(source), prefix.slice(0, -'|'.length));
  for await (const items of pages(store, entries)) {
    const keys = items.map(({ sk }) => parseReportedKey(sk)).filter(({ sk }) => sk === SORT.spec);
    for (let from = 0; from < keys.length; from += AT_ONCE) yield keys.slice(from, from + AT_ONCE);
  }
}
