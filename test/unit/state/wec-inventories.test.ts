import { describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  announceInventories,
  createWecInventories,
  putWecInventory,
  readChangedInventories,
} from '#shared/state/wec-inventories.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

/** A store that counts its queries, and fails as many as it is told. */
function counting(store: ItemStore) {
  const state = { queries: 0, failures: 0 };
  const counted: ItemStore = {
    ...store,
    query(query) {
      state.queries += 1;
      if (state.failures === 0) return store.query(query);
      state.failures -= 1;
      return Promise.reject(new Error('throttled'));
    },
  };
  return { state, counted };
}

function labelled(region: string) {
  return { labels: { region }, annotations: {} };
}

const EU = { hub: 'its1', wec: 'wec1', version: '1', inventory: labelled('eu') };

describe('the inventories of WECs', () => {
  it('are read once by concurrent calls, and again after the next announcement', async () => {
    const store = createMemoryItemStore();
    const { state, counted } = counting(store);
    await putWecInventory(store, EU, 0);
    await announceInventories(store);
    const inventories = createWecInventories(counted);
    await Promise.all([inventories.read(), inventories.read(), inventories.read()]);
    expect(state.queries).toBe(2);
    await putWecInventory(store, { ...EU, version: '2', inventory: labelled('us') }, 0);
    expect((await inventories.read()).get('wec1')?.labels).toEqual({ region: 'eu' });
    await announceInventories(store);
    expect((await inventories.read()).get('wec1')?.labels).toEqual({ region: 'us' });
    expect(state.queries).toBe(4);
  });

  it('are read again after a read that failed', async () => {
    const store = createMemoryItemStore();
    const { state, counted } = counting(store);
    await putWecInventory(store, EU, 0);
    await announceInventories(store);
    const inventories = createWecInventories(counted);
    state.failures = 1;
    await expect(inventories.read()).rejects.toThrow('throttled');
    expect((await inventories.read()).get('wec1')?.labels).toEqual({ region: 'eu' });
  });

  it('are known before the first announcement', async () => {
    const store = createMemoryItemStore();
    const inventories = createWecInventories(store);
    expect((await inventories.read()).size).toBe(0);
    await putWecInventory(store, EU, 0);
    expect((await inventories.read()).get('wec1')?.labels).toEqual({ region: 'eu' });
  });

  it('change once for any number of changes before the Bindings are notified', async () => {
    const store = createMemoryItemStore();
    for (let version = 1000; version < 2000; version += 1)
      await putWecInventory(
        store,
        { ...EU, version: String(version), inventory: labelled(`r${version}`) },
        0,
      );
    expect(await readChangedInventories(store)).toHaveLength(1);
  });
});
