import { beforeEach, describe, expect, it } from 'vitest';
import { rejected } from '#functions/write-results/messages.ts';
import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';
import { WORKLOAD_FIELDS } from '#shared/core/explanation/selectable-explanation.ts';
import { parseFieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { EVERYTHING, type StatusSelector } from '#shared/core/status-api/selector.ts';
import { workloadText } from '#shared/core/status-api/status-name.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { ContentionError, InvalidContinuationError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { putApplied, readApplied } from '#shared/state/head.ts';
import { RANGE, rowKey } from '#shared/state/keys.ts';
import { namedPartition, namedSortKey } from '#shared/state/named-objects.ts';
import { rowBody, rowItem, tombstoneBody } from '#shared/state/rows.ts';
import { putSetAside } from '#shared/state/set-aside.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { NOT_APPLIED } from '#shared/state/status-source/workload-state.ts';
import {
  announceInventories,
  forgetChangedInventories,
  putWecInventory,
  readChangedInventories,
} from '#shared/state/wec-inventories.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import {
  type Deed,
  OBJECTS,
  SourceWorld,
  WECS,
} from '#test/property/status-source/source-world.ts';

const ALL = OBJECTS.map((_object, index) => index);
const EVERY_WEC = WECS.map((_wec, index) => index);
const BIND: Deed = { type: 'bind', binding: 0, objects: ALL, wecs: EVERY_WEC };
const WEB = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
const WORKLOAD = { ...WEB, wds: 'wds1' };
const PK = subjectPartition({ type: 'workload', workload: WORKLOAD });
const APPLY: Deed = { type: 'apply', object: 0, tier: 'gold' };
const readable = (): boolean => true;
const ROW = { wec: 'edge', uid: 'u', generation: 2, status: { readyReplicas: 1 } };

function selectorOf(fieldText: string, labelText: string): StatusSelector {
  const fields = parseFieldSelectorText(fieldText, { fields: WORKLOAD_FIELDS, words: {} });
  const labels = parseSelectorText(labelText);
  if (!fields.ok || !labels.ok) throw new Error('a selector of the test is wrong');
  return { fields: fields.requirements, labels: labels.requirements };
}

async function played(...deeds: readonly Deed[]): Promise<SourceWorld> {
  const world = new SourceWorld();
  await world.play(deeds);
  return world;
}

describe('the status of a WEC', () => {
  let world: SourceWorld;
  beforeEach(async () => {
    world = await played(APPLY, BIND);
  });
  const stateWith = async (body: string | Uint8Array): Promise<unknown> => {
    await world.journaled.store.put([
      { item: { ...rowKey(WORKLOAD, 'edge'), version: '1', body } },
    ]);
    return world.source.wecStatus({ workload: WEB, wec: 'edge' });
  };

  it('is TooLarge without a status if the status was too large to keep', async () => {
    const { status: _status, ...row } = ROW;
    const stored = rowBody({ wec: 'edge', row, oversizedBytes: 700_000 });
    const found = await stateWith(stored);
    expect(found).toMatchObject({ state: 'TooLarge', health: { status: 'Missing' } });
    expect(found).not.toHaveProperty('status');
  });

  it('is Missing if the WEC does not have the object any more', async () => {
    expect(await stateWith(tombstoneBody('edge'))).toMatchObject({ state: 'Missing' });
  });

  it('is NotReported if the row was removed because no Binding named the object', async () => {
    const gone = rowBody({ wec: 'edge', deleted: true, unnamed: 'u' });
    expect(await stateWith(gone)).toMatchObject({ state: 'NotReported' });
    const hidden = rowBody({ wec: 'edge', deleted: true, unnamed: 'u', row: ROW });
    expect(await stateWith(hidden)).toMatchObject({ state: 'NotReported' });
  });

  it('is read again if the destinations of a Binding are just being replaced', async () => {
    const { store } = world.journaled;
    let missing = 2;
    const replacing: ItemStore = {
      ...store,
      get: async (keys) => {
        const items = await store.get(keys);
        if (!keys.some(({ sk }) => sk.startsWith(RANGE.destinations)) || missing === 0)
          return items;
        missing -= 1;
        return keys.map(() => undefined);
      },
    };
    const status = { workload: WEB, wec: 'edge' };
    expect(await world.sourceOn(replacing).wecStatus(status)).toMatchObject({ wec: 'edge' });
    missing = Number.POSITIVE_INFINITY;
    await expect(world.sourceOn(replacing).wecStatus(status)).rejects.toThrow(ContentionError);
  });
});

describe('a list of statuses', () => {
  it('refuses a continuation that does not belong to it', async () => {
    const { source } = await played(BIND);
    const list = (after: string, scope = { namespace: 'shop' }) =>
      source.wecStatuses({ scope, selector: EVERYTHING, limit: 1, readable, after });
    for (const after of ['', '{', '[]', '["a"]', '["a#b:c",1]', '["other#b:c",""]'])
      await expect(list(after)).rejects.toThrow(InvalidContinuationError);
    const { next = '' } = await source.wecStatuses({
      scope: 'cluster',
      selector: EVERYTHING,
      limit: 1,
      readable,
    });
    await expect(list(next)).rejects.toThrow(InvalidContinuationError);
    // Each of its characters would be read as a place where an object may go on.
    const long = JSON.stringify([`shop#${'0'.repeat(1_100)}`, '']);
    await expect(list(long)).rejects.toThrow(InvalidContinuationError);
  });

  it('goes on where it was when the object there is gone meanwhile', async () => {
    const world = await played(BIND);
    const request = { scope: { namespace: 'shop' }, selector: EVERYTHING, readable } as const;
    const all = world.expected(request.scope);
    const { next = '' } = await world.source.wecStatuses({ ...request, limit: 10 });
    await world.play([{ ...BIND, objects: ALL.filter((index) => index !== 0 && index !== 1) }]);
    const rest = await world.source.wecStatuses({ ...request, limit: 1000, after: next });
    const standing = all
      .slice(10)
      .filter(({ workload: { name } }) => !['web', 'web-2'].includes(name));
    expect(rest.items.filter(({ workload }) => workload.resource === 'deployments')).toEqual(
      standing.filter(({ workload }) => workload.resource === 'deployments'),
    );
  });

  it('ends a page early if the statuses are large', async () => {
    const world = await played(APPLY, BIND);
    const text = 'x'.repeat(1_200_000);
    const wecs = Array.from({ length: 7 }, (_, index) => String(WECS[index]));
    const version = { epoch: 9, sequence: 1 };
    for (const ref of OBJECTS.filter(({ namespace }) => namespace === 'shop'))
      for (const wec of wecs) {
        const { version: _version, ...workload } = ref;
        const row = { ...ROW, wec, status: { text } };
        const said = { wec, row, version };
        await world.journaled.store.put([{ item: rowItem({ ...workload, wds: 'wds1' }, said, 0) }]);
      }
    const request = { scope: { namespace: 'shop' }, selector: EVERYTHING, readable } as const;
    const counts: number[] = [];
    let after: string | undefined;
    do {
      const rest = after === undefined ? {} : { after };
      const page = await world.source.wecStatuses({ ...request, limit: 500, ...rest });
      counts.push(page.items.length);
      after = page.next;
    } while (after !== undefined);
    expect(Math.max(...counts)).toBeLessThanOrEqual(16);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(49);
  });
});

describe('the workload objects', () => {
  it('are listed in the order of their names, without those that the reader may not get', async () => {
    const { source } = await played(APPLY, BIND);
    const namesOf = async (limit: number): Promise<readonly string[]> => {
      const names: string[] = [];
      let after: string | undefined;
      do {
        const page = await source.workloads({
          scope: 'all-namespaces',
          limit,
          readable: ({ resource }) => resource !== 'services',
          ...(after === undefined ? {} : { after }),
        });
        names.push(...page.items.map((one) => `${one.workload.namespace}/${one.workload.name}`));
        after = page.next;
      } while (after !== undefined);
      return names;
    };
    const deployments = ['a', 'web', 'web-2', 'web.x', 'web0'].map((name) => `shop/${name}`);
    const expected = ['sho/web', ...deployments, 'shop/w', 'shop-2/web'];
    expect(await namesOf(100)).toEqual(expected);
    expect(await namesOf(1)).toEqual(expected);
  });

  it('are selected by names, labels and WECs, and of what a name excludes nothing is read', async () => {
    const gold: readonly Deed[] = [0, 1].map((object) => ({ type: 'apply', object, tier: 'gold' }));
    const iron: Deed = { type: 'apply', object: 2, tier: 'iron' };
    const world = await played(
      ...gold,
      iron,
      { ...BIND, wecs: [1] },
      {
        ...{ type: 'bind', binding: 1, objects: [0, 7], wecs: [2, 3] },
      },
    );
    const { store } = world.journaled;
    const asked = new Set<string>();
    const source = world.sourceOn({
      ...store,
      get: (keys) => {
        for (const { pk } of keys) asked.add(pk);
        return store.get(keys);
      },
    });
    const list = async (more: Partial<Parameters<StatusSource['workloads']>[0]>) => {
      const page = await source.workloads({
        ...{ scope: 'all-namespaces', limit: 100, readable, ...more },
      });
      return page.items.map(({ workload }) => `${workload.namespace}/${workloadText(workload)}`);
    };
    const by = (fields: string, labels = '') => list({ selector: selectorOf(fields, labels) });
    expect(await by('metadata.name=deployments.apps:web-2')).toEqual([
      'shop/deployments.apps:web-2',
    ]);
    expect(await by('metadata.name=no name')).toEqual([]);
    expect(await by('workload.kind=Deployment', 'tier=gold')).toEqual([
      'shop/deployments.apps:web',
      'shop/deployments.apps:web-2',
    ]);
    expect(await by('', 'tier notin (gold)')).toContain('shop/deployments.apps:web.x');
    expect(await by('', 'starfold.dev/workload=w')).toEqual(['shop/widgets.demo.example.com:w']);
    expect(await by('metadata.namespace=sho')).toEqual(['sho/deployments.apps:web']);
    expect(await list({ wecs: ['edge-1', 'nobody'] })).toEqual([
      'shop/deployments.apps:web',
      'shop/services:web',
    ]);
    expect(await list({ wecs: ['nobody'] })).toEqual([]);
    asked.clear();
    await by('workload.resource!=deployments,metadata.namespace=shop', 'starfold.dev/workload=web');
    expect([...asked].filter((pk) => pk.startsWith('W#'))).toEqual([
      subjectPartition({
        type: 'workload',
        workload: { ...WORKLOAD, group: '', resource: 'services' },
      }),
    ]);
  });

  it('have the resources of a scope', async () => {
    const { source } = await played(BIND);
    const textsOf = async (scope: Parameters<StatusSource['resourcesIn']>[0]) =>
      (await source.resourcesIn(scope)).map(({ group, resource }) => `${group}/${resource}`);
    expect(await textsOf('cluster')).toEqual(['rbac.authorization.k8s.io/clusterroles']);
    expect(await textsOf({ namespace: 'sho' })).toEqual(['apps/deployments']);
    const inShop = ['apps/deployments', '/services', 'demo.example.com/widgets'];
    expect(await textsOf({ namespace: 'shop' })).toEqual(inShop);
    expect(await textsOf('all-namespaces')).toEqual(inShop);
    expect(await textsOf({ namespace: 'none' })).toEqual([]);
  });
});

it('the resources of many namespaces are read in parts, between which everything else goes on', async () => {
  const store = createMemoryItemStore();
  const keys = Array.from({ length: 100 }, (_, index) => {
    const workload = {
      group: 'apps',
      resource: 'deployments',
      namespace: `n${index}`,
      name: 'web',
    };
    return { pk: namedPartition('wds1'), sk: namedSortKey(workload) };
  });
  await store.put(keys.map((item) => ({ item })));
  const source = createStatusSource({ store, wds: 'wds1', clock: () => 0 });
  let turns = 0;
  let isRead = false;
  const others = (async () => {
    for (; !isRead; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  expect(await source.resourcesIn('all-namespaces')).toEqual([
    { group: 'apps', resource: 'deployments' },
  ]);
  isRead = true;
  await others;
  expect(turns).toBeGreaterThanOrEqual(4);
});

describe('what determines the result of a workload object', () => {
  const REPORTS: readonly Deed[] = [1, 2].map((wec) => ({
    type: 'report',
    object: 0,
    wec,
    ready: wec,
  }));

  it('is its object, its Bindings and the rows of their WECs', async () => {
    const world = await played(APPLY, { ...BIND, wecs: [1, 3] }, ...REPORTS);
    const state = await world.source.workload(WEB);
    expect(state?.reported).toMatchObject({ ref: WORKLOAD, object: { kind: 'Deployment' } });
    expect(state?.reported?.uid).not.toBe('');
    expect([...(state?.reported?.rows.keys() ?? [])]).toEqual(['edge']);
    const [memberships] = state?.membership.memberships.values() ?? [];
    expect(memberships).toMatchObject([
      { binding: 'b1', destinations: { names: ['ed:ge', 'edge'] } },
    ]);
    const since = new Date(world.pipeline.now).toISOString().replace(/\.\d+Z$/, 'Z');
    expect(state).toMatchObject({ applied: { upToDate: true, since }, refused: [] });
    expect(state).toMatchObject({ workload: WEB, kind: 'Deployment', ownLabels: { tier: 'gold' } });
    expect(state?.silentFor(60_000)).toEqual(new Set());
  });

  it('is not applied as long as the API server rejects some of it', async () => {
    const { source, journaled } = await played(APPLY, BIND, ...REPORTS);
    const { revision, owned, ...applied } = await readApplied(journaled.store, PK);
    const said = rejected('status', 'too late');
    const refused = { want: 'a', observed: 'b', refused: [said] };
    const next = { ...applied, revision: revision + 1, reported: [said] };
    expect(await putApplied(journaled.store, PK, { ...next, owned: { object: refused } })).toBe(
      true,
    );
    expect(await source.workload(WEB)).toMatchObject({
      applied: { upToDate: false, problem: NOT_APPLIED.rejected },
      refused: [said],
    });
    // What is rejected of a CombinedStatus is not missing in the object.
    const elsewhere = { ...owned, 'combinedstatuses/shop/x': refused };
    const other = { ...next, revision: revision + 2, owned: elsewhere };
    expect(await putApplied(journaled.store, PK, other)).toBe(true);
    expect(await source.workload(WEB)).toMatchObject({
      applied: { upToDate: true, since: expect.any(String) },
      refused: [said],
    });
  });

  it('is not read if it would take too much memory, whatever a compressed row says', async () => {
    const wecs = Array.from({ length: 70 }, (_none, index) => `wec-${index}`);
    const world = await played(APPLY, BIND);
    const spec = {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: [
          { ...WEB, version: 'v1', resourceVersion: '1', wantMultiWECReportedState: true },
        ],
      },
    };
    const ref = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
    world.pipeline.wds.apply(
      { ...ref, resource: 'bindings', name: 'b2' },
      {
        apiVersion: 'control.kubestellar.io/v1alpha1',
        kind: 'Binding',
        metadata: { name: 'b2' },
        spec,
      },
    );
    await world.pipeline.settle();
    const status = { note: 'x'.repeat(1024 * 1024) };
    for (const wec of wecs) {
      const body = rowBody({ wec, row: { ...ROW, wec, status } });
      await world.journaled.store.put([{ item: { ...rowKey(WORKLOAD, wec), version: '1', body } }]);
    }
    await expect(world.source.workload(WEB)).rejects.toThrow(
      'what WECs report of deployments.apps:web takes more than 64 MiB',
    );
  });

  it('has no time of what an older release has applied', async () => {
    const { source, journaled } = await played(APPLY, BIND, ...REPORTS);
    const { writtenMs, revision, ...applied } = await readApplied(journaled.store, PK);
    expect(writtenMs).toBeDefined();
    await putApplied(journaled.store, PK, { ...applied, revision: revision + 1 });
    expect((await source.workload(WEB))?.applied).toEqual({ upToDate: true });
  });

  it('is unknown if no Binding names the object', async () => {
    const world = await played(APPLY);
    expect(await world.source.workload(WEB)).toBeUndefined();
  });

  it('is without the object if the WDS has none', async () => {
    const world = await played(BIND);
    expect(await world.source.workload(WEB)).not.toHaveProperty('reported');
  });

  it('has the silent WECs, and what stands in the way', async () => {
    const world = await played(APPLY, BIND, ...REPORTS, { type: 'silence', speaking: [1, 2] });
    await world.play([{ type: 'silence', speaking: [2] }]);
    const aside = { pk: PK, nowMs: world.pipeline.now, bindings: [] };
    const revision = await world.source.revision();
    await putSetAside(world.journaled.store, aside, undefined);
    // A Binding that is set aside is no workload object.
    const binding = subjectPartition({ type: 'binding', wds: 'wds1', name: 'b1' });
    await putSetAside(world.journaled.store, { ...aside, pk: binding }, undefined);
    expect((await world.source.changes(revision))?.changed).toEqual([
      { type: 'result', workload: WEB, revision: revision + 1 },
    ]);
    const state = await world.source.workload(WEB);
    expect(state?.silent).toEqual(new Set(['edge']));
    expect(state?.applied).toEqual({
      upToDate: false,
      problem: expect.stringContaining('set aside'),
    });
  });
});

describe('the WECs', () => {
  it('are those that have sent a heartbeat, with their contacts', async () => {
    const world = await played(BIND, { type: 'silence', speaking: EVERY_WEC });
    await world.play([{ type: 'silence', speaking: [0, 3] }]);
    const { source } = world;
    const { lastContact } = world.expected('cluster').find(({ wec }) => wec === 'ed:ge') ?? {};
    expect(lastContact).toBeDefined();
    const found = await source.wec('ed:ge');
    expect(found).toEqual({
      ...{ name: 'ed:ge', ownLabels: {}, lastContact },
      ...{ objects: OBJECTS.length, unhealthyObjects: expect.any(Number) },
    });
    const silent = await source.wec('edge');
    expect(silent?.silentSince).toBe(silent?.lastContact);
    expect(silent?.silentSince).not.toBe(lastContact);
    expect(await source.wec('nobody')).toBeUndefined();
    const { items, next = '' } = await source.wecs({ selector: EVERYTHING, limit: 4 });
    expect(items.map(({ name }) => name)).toEqual(['Z', 'a', 'ed:ge', 'edge']);
    const rest = await source.wecs({ selector: EVERYTHING, limit: 4, after: next });
    expect(rest.items.map(({ name }) => name)).toEqual(['edge-1', 'node', 'x']);
    expect(rest.next).toBeUndefined();
    const fields = [{ field: 'metadata.name', operator: '=', value: 'x' }] as const;
    const selected = await source.wecs({ selector: { labels: [], fields }, limit: 1 });
    expect(selected.items.map(({ name }) => name)).toEqual(['x']);
    await expect(source.wecs({ selector: EVERYTHING, limit: 1, after: '' })).rejects.toThrow(
      InvalidContinuationError,
    );
  });
});

describe('the version of a forwarder', () => {
  it('is that of the last heartbeat, and is not known of a forwarder that does not tell it', async () => {
    const world = await played(BIND);
    const version = async (...versions: readonly (string | undefined)[]) => {
      for (const forwarderVersion of versions) world.pipeline.beat('edge', forwarderVersion);
      await world.pipeline.settle();
      return (await world.source.wec('edge'))?.forwarderVersion;
    };
    expect(await version(undefined)).toBeUndefined();
    expect(await version('1.0.0', '1.1.0')).toBe('1.1.0');
    expect((await world.source.wecs({ selector: EVERYTHING, limit: 1 })).items).toMatchObject([
      { name: 'edge', forwarderVersion: '1.1.0' },
    ]);
    expect(await version(undefined)).toBeUndefined();
  });
});

describe('the labels of a WEC', () => {
  it('select it, and that they change is a change of the WEC', async () => {
    const world = await played(BIND, { type: 'silence', speaking: EVERY_WEC });
    const { source } = world;
    const { store } = world.journaled;
    const before = await source.revision();
    const inventory = { labels: { region: 'eu' }, annotations: {} };
    await putWecInventory(store, { hub: 'its', wec: 'edge', version: '1', inventory }, 0);
    const changed = await readChangedInventories(store);
    await announceInventories(store);
    await forgetChangedInventories(store, changed);
    expect(await source.wec('edge')).toMatchObject({ ownLabels: { region: 'eu' } });
    const labels = [{ text: '', key: 'region', operator: 'In', values: ['eu'] }] as const;
    const { items } = await source.wecs({ selector: { labels, fields: [] }, limit: 10 });
    expect(items.map(({ name }) => name)).toEqual(['edge']);
    const changes = await source.changes(before);
    expect(changes?.changed).toEqual([{ type: 'wec', wec: 'edge', revision: before + 2 }]);
  });
});

describe('the changes', () => {
  it('are those of the own WDS, and each name once, with its last revision', async () => {
    const world = await played(APPLY, BIND);
    const before = await world.source.revision();
    const { store } = world.journaled;
    const put = (pk: string, sk: string) => store.put([{ item: { pk, sk } }]);
    await put(PK, 'R#0#ed:ge');
    await put('W#other/apps/deployments/shop/web', 'R#0#edge');
    await put(PK, 'APPLIED');
    await put('SILENCE', 'edge');
    await put('HEARTBEATS', 'wec/new');
    await put(PK, 'R#0#ed:ge');
    const changes = await world.source.changes(before);
    expect(changes?.changed).toEqual([
      { type: 'result', workload: WEB, revision: before + 3 },
      { type: 'wec', wec: 'edge', revision: before + 4 },
      { type: 'wec', wec: 'new', revision: before + 5 },
      { type: 'wec-status', ref: { workload: WEB, wec: 'ed:ge' }, revision: before + 6 },
    ]);
    expect(changes?.revision).toBe(before + 6);
  });

  it('are unknown without a journal, and the revision grows with the time', async () => {
    const { store } = (await played(BIND)).journaled;
    let nowMs = 1000;
    const source = createStatusSource({ store, wds: 'wds1', clock: () => nowMs });
    expect(await source.revision()).toBe(1_000_000);
    nowMs += 1;
    expect(await source.revision()).toBe(1_001_000);
    expect(await source.changes(1)).toBeUndefined();
    expect(source.subscribe(() => undefined)()).toBeUndefined();
  });
});
