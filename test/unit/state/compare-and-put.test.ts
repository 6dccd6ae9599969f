import { expect, it } from 'vitest';
import { ContentionError } from '#shared/errors.ts';
import { updateItem } from '#shared/state/compare-and-put.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const KEY = { pk: 'B#wds1/all', sk: 'HEAD' };

it('an update gives up with a typed error when something else is put each time', async () => {
  const store = createMemoryItemStore();
  let others = 0;
  const update = updateItem(store, KEY, async () => {
    others += 1;
    await store.put([{ item: { ...KEY, version: `other ${others}` } }]);
    return { item: { ...KEY, version: 'mine' }, result: 'done' };
  });
  await expect(update).rejects.toThrow(ContentionError);
});

it('an update rejects an item without a version, because no condition could hold', async () => {
  const store = createMemoryItemStore();
  await store.put([{ item: KEY }]);
  const update = updateItem(store, KEY, () => ({
    item: { ...KEY, version: '1' },
    result: 'done',
  }));
  await expect(update).rejects.toThrow(`${KEY.pk} ${KEY.sk}`);
});
