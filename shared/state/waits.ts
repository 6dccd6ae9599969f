import type { EventSource } from '#shared/core/event.ts';
import {
  parseSubject,
  type Subject,
  sourcePartition,
  subjectPartition,
} from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

const WAITS = 'WAITS#';

/**
 * Stores that a subject has to be notified when a source has reported everything. It is stored before the caller checks whether
 * the source has.
 */
export async function putWait(
  store: ItemStore,
  source: EventSource,
  subject: Subject,
): Promise<void> {
  const item = { pk: sourcePartition(source), sk: `${WAITS}${subjectPartition(subject)}` };
  await store.put([{ item }]);
}

/**
 * Reads the subjects that wait for a source, page by page. The entries of a page are removed when the caller asks for the next
 * page, after it has notified these subjects.
 */
export async function* takeWaits(
  store: ItemStore,
  source: EventSource,
): AsyncGenerator<readonly Subject[]> {
  for await (const items of pages(store, range(sourcePartition(source), WAITS))) {
    if (items.length === 0) continue;
    yield items.map(({ sk }) => parseSubject(sk.slice(WAITS.length)));
    await store.delete(items.map(({ pk, sk }) => ({ key: { pk, sk } })));
  }
}
