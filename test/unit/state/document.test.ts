import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ItemStore, MAX_ITEM_BYTES } from '#shared/ports/item-store.ts';
import { getDocument, putDocument, removeDocuments } from '#shared/state/document.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const NAME = { pk: 'p', name: 'RESULT#1' };

/** Text that hardly compresses: base64 of random bytes keeps three quarters of its length. */
function dense(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

describe('a document', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });

  it.each([
    ['empty', '', 1],
    ['short', 'text é', 1],
    ['long but repetitive', 'a'.repeat(3_000_000), 1],
    ['larger than an item', dense(500_000), 2],
    ['much larger than an item', dense(1_500_000), 5],
  ])('that is %s goes into as many items as it needs, and returns', async (_what, text, chunks) => {
    expect(await putDocument(store, NAME, text)).toBe(chunks);
    expect(await getDocument(store, NAME, chunks)).toBe(text);
    const { items } = await store.query({ pk: 'p' });
    for (const { body } of items) expect((body ?? '').length).toBeLessThan(MAX_ITEM_BYTES);
  });

  it('may be put twice', async () => {
    const text = dense(500_000);
    await putDocument(store, NAME, text);
    expect(await putDocument(store, NAME, text)).toBe(2);
    expect(await getDocument(store, NAME, 2)).toBe(text);
  });

  it('is gone when one of its chunks is', async () => {
    await putDocument(store, NAME, dense(500_000));
    await store.delete([{ key: { pk: 'p', sk: 'RESULT#1#0001' } }]);
    expect(await getDocument(store, NAME, 2)).toBeUndefined();
  });

  it('that was never put is not there', async () => {
    expect(await getDocument(store, NAME, 1)).toBeUndefined();
  });

  it('is removed with all its chunks when it is obsolete, page by page; others stay', async () => {
    for (const name of ['RESULT#1', 'RESULT#2', 'RESULT#3'])
      await putDocument(store, { pk: 'p', name }, dense(500_000));
    await putDocument(store, { pk: 'p', name: 'OTHER#1' }, 'other');
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    await removeDocuments(paged, { pk: 'p', name: 'RESULT#' }, (name) => name < 'RESULT#3');
    const { items } = await store.query({ pk: 'p' });
    expect(items.map(({ sk }) => sk)).toEqual(['OTHER#1#0000', 'RESULT#3#0000', 'RESULT#3#0001']);
  });
});
