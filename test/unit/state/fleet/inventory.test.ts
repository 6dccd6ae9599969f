import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { type FleetSubject, inventoryPartition, subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { fleetRowItem } from '#shared/state/fleet/fleet-rows.ts';
import {
  createInventoryStore,
  type InventoryChange,
  type InventoryStore,
  inventoryEntry,
  parseInventoryKey,
} from '#shared/state/fleet/inventory.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { fleetObject, NAMESPACE, UPSTREAM } from '#test/unit/protocol/fleet-events.ts';
import { interrupted } from '#test/unit/protocol/pipeline.ts';

const PLACE = { upstream: UPSTREAM, namespace: NAMESPACE };
const PK = inventoryPartition(PLACE);

let store: ItemStore;
/** How many queries there were: the token is read without one. */
let queries: number;
let version: number;
beforeEach(() => {
  const memory = createMemoryItemStore();
  queries = 0;
  version = 0;
  store = {
    ...memory,
    query: (query) => {
      queries += 1;
      return memory.query({ ...query, limit: 2 });
    },
  };
});

/** Puts the entry of an object, or (`content` absent) a tombstone of it. */
async function put(subject: FleetSubject, content?: JsonObject): Promise<void> {
  version += 1;
  const { key, body } = inventoryEntry(subject, content ?? {});
  const said = { version: String(version), nowMs: 0 };
  await store.put([{ item: fleetRowItem(key, content && body, said) }]);
}

function cluster(name: string, env: string): [FleetSubject, JsonObject] {
  const subject = fleetObject('clusters', name);
  return [subject, { metadata: { name, namespace: NAMESPACE, labels: { env } } }];
}

function group(name: string, env: string): [FleetSubject, JsonObject] {
  const selector = { matchLabels: { env } };
  return [
    fleetObject('clustergroups', name),
    { metadata: { name, namespace: NAMESPACE }, spec: { selector } },
  ];
}

/** The Clusters, each with the groups that have it: `c1(blue)`. */
async function clustersOf(inventories: InventoryStore): Promise<readonly string[]> {
  const candidates = (await inventories.targets(PLACE)).candidates(NAMESPACE);
  return candidates.map((one) => `${one.cluster.name}(${one.groups.map(nameOf).join(' ')})`);
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** Names of the groups, the GitRepos and the HelmOps. */
async function othersOf(inventories: InventoryStore): Promise<readonly (readonly string[])[]> {
  const { groups, gitrepos, helmops } = await inventories.surroundings(PLACE);
  return [groups.map(nameOf), [...gitrepos], [...helmops]];
}

const CLUSTERS: InventoryChange = { ...PLACE, changed: ['clusters'], notify: ['bundles'] };
const GROUPS: InventoryChange = {
  ...PLACE,
  changed: ['clustergroups'],
  notify: ['bundles', 'clusters'],
};

describe('the inventory of a namespace', () => {
  it('has the Clusters with their groups, the groups, and the names of the others', async () => {
    await put(...cluster('c1', 'prod'));
    await put(...cluster('c2', 'dev'));
    await put(...cluster('c3', 'dev'));
    await put(...group('blue', 'prod'));
    await put(fleetObject('gitrepos', 'one'), {});
    await put(fleetObject('helmops', 'chart'), {});
    const inventories = createInventoryStore(store);
    expect(await clustersOf(inventories)).toEqual(['c1(blue)', 'c2()', 'c3()']);
    expect(await othersOf(inventories)).toEqual([['blue'], ['one'], ['chart']]);
  });

  it('does not have what is gone', async () => {
    const gone = [cluster('c1', 'prod'), group('blue', 'prod')] as const;
    for (const [subject, content] of gone) await put(subject, content);
    const repo = fleetObject('gitrepos', 'one');
    await put(repo, {});
    for (const [subject] of [...gone, [repo]] as const) await put(subject);
    const inventories = createInventoryStore(store);
    expect(await clustersOf(inventories)).toEqual([]);
    expect(await othersOf(inventories)).toEqual([[], [], []]);
  });

  it('does not have what is in another namespace, or in that of another management cluster', async () => {
    for (const [subject, content] of [cluster('c1', 'prod'), group('blue', 'prod')]) {
      await put({ ...subject, namespace: 'fleet-local' }, content);
      await put({ ...subject, upstream: 'other' }, content);
    }
    const inventories = createInventoryStore(store);
    expect(await clustersOf(inventories)).toEqual([]);
    expect(await othersOf(inventories)).toEqual([[], [], []]);
  });
});

describe('a process', () => {
  it('remembers an inventory as long as its tokens stand', async () => {
    const inventories = createInventoryStore(store);
    await put(...cluster('c1', 'prod'));
    await inventories.changed(CLUSTERS);
    await inventories.changed(GROUPS);
    const first = await inventories.targets(PLACE);
    const around = await inventories.surroundings(PLACE);
    const read = queries;
    expect(await inventories.targets(PLACE)).toBe(first);
    expect(await inventories.surroundings(PLACE)).toBe(around);
    expect(queries).toBe(read);
  });

  it('reads an inventory again after a change that another process has reported', async () => {
    const [inventories, other] = [createInventoryStore(store), createInventoryStore(store)];
    await put(...cluster('c1', 'prod'));
    await inventories.changed(CLUSTERS);
    await inventories.changed(GROUPS);
    expect(await clustersOf(inventories)).toEqual(['c1()']);
    await put(...cluster('c2', 'prod'));
    await other.changed(CLUSTERS);
    expect(await clustersOf(inventories)).toEqual(['c1()', 'c2()']);
    await put(...group('blue', 'prod'));
    await other.changed(GROUPS);
    expect(await clustersOf(inventories)).toEqual(['c1(blue)', 'c2(blue)']);
    expect(await othersOf(inventories)).toEqual([['blue'], [], []]);
  });

  it('does not read the other entries again when a Cluster changes', async () => {
    const inventories = createInventoryStore(store);
    await inventories.changed(GROUPS);
    const around = await inventories.surroundings(PLACE);
    await inventories.changed(CLUSTERS);
    const read = queries;
    expect(await inventories.surroundings(PLACE)).toBe(around);
    expect(queries).toBe(read);
  });

  it('remembers nothing before the first change', async () => {
    const inventories = createInventoryStore(store);
    expect(await clustersOf(inventories)).toEqual([]);
    await put(...cluster('c1', 'prod'));
    await put(...group('blue', 'prod'));
    expect(await clustersOf(inventories)).toEqual(['c1(blue)']);
  });

  it.each(['before', 'after'] as const)(
    'knows a change after it that was made %s it read entries',
    async (when) => {
      await put(...cluster('c1', 'prod'));
      for (const change of [CLUSTERS, GROUPS]) await createInventoryStore(store).changed(change);
      const changing = (sk: string, [subject, content]: ReturnType<typeof cluster>) =>
        interrupted(store, { call: 'query', sk, when }, async () => {
          await put(subject, content);
          await createInventoryStore(store).changed(sk === 'clusters/' ? CLUSTERS : GROUPS);
        });
      const addingCluster = createInventoryStore(changing('clusters/', cluster('c2', 'prod')));
      await addingCluster.targets(PLACE);
      expect(await clustersOf(addingCluster)).toEqual(['c1()', 'c2()']);
      const addingGroup = createInventoryStore(changing('clustergroups/', group('blue', 'prod')));
      await addingGroup.targets(PLACE);
      expect(await clustersOf(addingGroup)).toEqual(['c1(blue)', 'c2(blue)']);
    },
  );

  it('that knows very many inventories still knows each as it is', async () => {
    const inventories = createInventoryStore(store);
    for (let round = 0; round < 2; round += 1)
      for (let index = 0; index < 25; index += 1) {
        const namespace = `ns-${index}`;
        const name = `c${index}-${round}`;
        const place = { ...PLACE, namespace };
        const content = { metadata: { name, namespace } };
        await put({ ...fleetObject('clusters', name), namespace }, content);
        await inventories.changed({ ...CLUSTERS, ...place });
        const targets = await inventories.targets(place);
        expect(targets.candidates(namespace)).toHaveLength(round + 1);
      }
  });
});

describe('a change', () => {
  it('is a token that never was there, for the resources that are to look alone', async () => {
    const inventories = createInventoryStore(store);
    const first = await inventories.changed(GROUPS);
    const second = await inventories.changed(CLUSTERS);
    expect(new Set(['', first, second]).size).toBe(3);
    expect(await inventories.tokenToNotify(PLACE, 'bundles')).toBe(second);
    expect(await inventories.tokenToNotify(PLACE, 'clusters')).toBe(first);
    expect(await inventories.tokenToNotify(PLACE, 'gitrepos')).toBe('');
  });

  it('of another namespace is none of this one', async () => {
    const inventories = createInventoryStore(store);
    const first = await inventories.changed(CLUSTERS);
    await inventories.changed({ ...CLUSTERS, namespace: 'fleet-local' });
    expect(await inventories.tokenToNotify(PLACE, 'bundles')).toBe(first);
  });

  it('that dies before it has said who is to look is known to who reads the inventory', async () => {
    const inventories = createInventoryStore(store);
    const first = await inventories.changed(CLUSTERS);
    await inventories.targets(PLACE);
    await put(...cluster('c1', 'prod'));
    const dying = interrupted(store, { call: 'put', sk: 'TELL#', when: 'before' }, () =>
      Promise.reject(new Error('killed')),
    );
    await expect(createInventoryStore(dying).changed(CLUSTERS)).rejects.toThrow('killed');
    expect(await clustersOf(inventories)).toEqual(['c1()']);
    // The walk of the change before goes on: nobody else would notify.
    expect(await inventories.tokenToNotify(PLACE, 'bundles')).toBe(first);
  });
});

describe('the key of an entry', () => {
  it('says where it is and of which resource', () => {
    for (const resource of ['clusters', 'clustergroups', 'gitrepos', 'helmops'] as const)
      expect(parseInventoryKey(inventoryEntry(fleetObject(resource, 'x'), {}).key)).toEqual({
        ...PLACE,
        resource,
      });
    expect(parseInventoryKey({ pk: PK, sk: 'clusters/c1' })).toEqual({
      ...PLACE,
      resource: 'clusters',
    });
  });

  it('is not that of a row below a subject', () => {
    const pk = subjectPartition(fleetObject('clusters', 'c1'));
    expect(parseInventoryKey({ pk, sk: 'BUNDLE#0#a/b#' })).toBeUndefined();
  });
});

it('an entry has of its object what targets and groups follow from, and no status', () => {
  const content = {
    kind: 'Cluster',
    metadata: { name: 'c1' },
    spec: {},
    status: { reports: true },
  };
  expect(inventoryEntry(fleetObject('clusters', 'c1'), content).body).toEqual({
    metadata: { name: 'c1' },
    spec: {},
  });
});
