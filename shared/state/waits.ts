import { parseSubject, type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

const WAITS = 'WAITS#';

/**
 * Stores that a subject has to be notified of something: that a source has reported everything, or that a StatusCollector was
 * checked. It is stored before the caller makes sure that this is still to come.
 *
 * @param pk the partition of the source or of the StatusCollector
 */
export function putWait(store: ItemStore, pk: string, subject: Subject): Promise<void> {
  return putWaits(store, [pk], subject);
}

/** Like {@link putWait}, in several partitions. */
export async function putWaits(
  store: ItemStore,
  pks: readonly string[],
  subject: Subject,
): Promise<void> {
  const sk = `${WAITS}${subjectPartition(subject)}`;
  if (pks.length > 0) await store.put(pks.map((pk) => ({ item: { pk, sk } })));
}

/**
 * Reads the subjects that wait in a partition, page by page. The entries of a page are removed when the caller asks for the next
 * page, after it has notified these subjects.
 */
export async function* takeWaits(store: ItemStore, pk: string): AsyncGenerator<readonly Subject[]> {
  for await (const items of pages(store, range(pk, WAITS))) {
    if (items.length === 0) continue;
    yield items.map(({ sk }) => parseSubject(sk.slice(WAITS.length)));
    await store.delete(items.map(({ sk }) => ({ key: { pk, sk } })));
  }
}
