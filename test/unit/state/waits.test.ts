import { beforeEach, expect, it } from 'vitest';
import { type Subject, sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putWait, takeWaits } from '#shared/state/waits.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const EDGE = sourcePartition({ type: 'wec', name: 'edge' });
const WEB: Subject = {
  type: 'workload',
  workload: { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
};

function binding(name: string): Subject {
  return { type: 'binding', wds: 'wds1', name };
}

let store: ItemStore;
beforeEach(() => {
  store = createMemoryItemStore();
});

async function take(pk: string): Promise<readonly Subject[]> {
  const taken: Subject[] = [];
  for await (const subjects of takeWaits(store, pk)) taken.push(...subjects);
  return taken;
}

it('are taken once, each subject once, by the source that they wait for', async () => {
  await putWait(store, EDGE, binding('b'));
  await putWait(store, EDGE, binding('b'));
  await putWait(store, EDGE, WEB);
  await putWait(store, sourcePartition({ type: 'wds', name: 'edge' }), binding('c'));
  expect(await take(EDGE)).toEqual([binding('b'), WEB]);
  expect(await take(EDGE)).toEqual([]);
  expect(await take(sourcePartition({ type: 'wds', name: 'edge' }))).toEqual([binding('c')]);
});

it('are still there if the process that takes them dies before it has notified the subjects', async () => {
  await putWait(store, EDGE, binding('b'));
  for await (const subjects of takeWaits(store, EDGE)) {
    expect(subjects).toEqual([binding('b')]);
    break;
  }
  expect(await take(EDGE)).toEqual([binding('b')]);
});

it('are all taken, however many there are', async () => {
  const many = Array.from({ length: 2_500 }, (_one, index) =>
    binding(`b-${String(index).padStart(4, '0')}`),
  );
  for (const one of many) await putWait(store, EDGE, one);
  expect(await take(EDGE)).toEqual(many);
  expect(await take(EDGE)).toEqual([]);
});
