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

/** Notes that a subject is to be told when a source has told everything. It is noted before it is looked whether it has. */
export async function putWait(
  store: ItemStore,
  source: EventSource,
  subject: Subject,
): Promise<void> {
  const item = { pk: sourcePartition(source), sk: `${WAITS}${subjectPartition(subject)}` };
  await store.put([{ item }]);
}

/**
 * The subjects that wait for a source, in lots; the entries of a lot are removed when the next one is asked for, so after
 * it has been told.
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
