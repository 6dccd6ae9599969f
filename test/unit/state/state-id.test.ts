import { expect, it } from 'vitest';
import { stateId } from '#shared/state/state-id.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

it('stays the name that the state was given when it was new', async () => {
  const store = createMemoryItemStore();
  expect(await stateId(store, 'first')).toBe('first');
  expect(await stateId(store, 'second')).toBe('first');
});

it('is the same for two processes that begin at a time', async () => {
  const store = createMemoryItemStore();
  const [one, other] = await Promise.all([stateId(store, 'one'), stateId(store, 'other')]);
  expect(one).toBe(other);
});

it('is another one of a state that follows one that was lost', async () => {
  expect(await stateId(createMemoryItemStore(), 'first')).toBe('first');
  expect(await stateId(createMemoryItemStore(), 'second')).toBe('second');
});
