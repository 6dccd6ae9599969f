import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { contactItem, contactKey, readContacts } from '#shared/state/fleet/contacts.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const LATELY = '2026-01-01T00:00:00Z';

let store: ItemStore;
beforeEach(() => {
  store = createMemoryItemStore();
});

async function put(cluster: string, version: string, lastSeen: string | undefined): Promise<void> {
  const item = contactItem(contactKey('rancher', cluster), { version, lastSeen, nowMs: 1000 });
  await store.put([{ item, condition: { type: 'newer' } }]);
}

describe('when the agents of Clusters last reported', () => {
  it('is read page by page: those that have reported, have not, and are gone', async () => {
    await put('fleet-default/c1', '1', LATELY);
    await put('fleet-default/c2', '2', '');
    await put('fleet-local/local', '3', undefined);
    await store.put([
      { item: contactItem(contactKey('other', 'a/b'), { version: '1', lastSeen: '', nowMs: 0 }) },
    ]);
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    expect(await readContacts(paged, 'rancher')).toEqual([
      { name: 'fleet-default/c1', version: '1', lastSeen: LATELY },
      { name: 'fleet-default/c2', version: '2', lastSeen: '' },
      { name: 'fleet-local/local', version: '3', lastSeen: undefined },
    ]);
  });

  it('expires for a Cluster that is gone, and for no other', async () => {
    await put('fleet-default/c1', '1', LATELY);
    await put('fleet-default/c2', '1', '');
    await put('fleet-default/c3', '1', undefined);
    const items = await store.get(
      ['c1', 'c2', 'c3'].map((name) => contactKey('rancher', `fleet-default/${name}`)),
    );
    expect(items.map((item) => item?.expiresAt)).toEqual([undefined, undefined, 1 + 15 * 86_400]);
  });
});
