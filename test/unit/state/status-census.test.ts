import { beforeAll, describe, expect, it } from 'vitest';
import type { ReturnedObject } from '#shared/core/event.ts';
import type { WecCounts } from '#shared/core/status-api/wec-counts.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { createDestinationStore } from '#shared/state/membership.ts';
import { shardOf } from '#shared/state/shards.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { BoundObjects } from '#shared/state/status-source/bound-object.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { type CountBounds, countWecs } from '#shared/state/status-source/wec-counts.ts';
import { CountingStore } from '#test/bench/counting-store.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';

const WEB = { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
const WECS = Array.from({ length: 256 }, (_, index) => `wec${String(index).padStart(3, '0')}`);

function returned(ready: number): ReturnedObject {
  const counts = {
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: ready,
    availableReplicas: ready,
  };
  return { uid: 'u', generation: 1, status: { observedGeneration: 1, ...counts } };
}

/** A Deployment in 256 WECs, in shards, of which those are not Healthy that a rule says. */
async function fleet(isUnhealthy: (index: number) => boolean, unsharded = 16): Promise<Pipeline> {
  const pipeline = new Pipeline(unsharded);
  const { version, ...subject } = { ...WEB, version: 'v1' };
  pipeline.wds.apply(
    { ...subject, version },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 3 },
    },
  );
  const binding = { group: 'control.kubestellar.io', version: 'v1alpha1', resource: 'bindings' };
  const named = { group: 'apps', version, resource: 'deployments', namespace: 'shop', name: 'web' };
  pipeline.wds.apply(
    { ...binding, namespace: '', name: 'b' },
    {
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'Binding',
      metadata: { name: 'b' },
      spec: {
        destinations: WECS.map((clusterId) => ({ clusterId })),
        workload: {
          namespaceScope: [{ ...named, resourceVersion: '1', wantMultiWECReportedState: true }],
        },
      },
    },
  );
  for (const [index, wec] of WECS.entries())
    pipeline.tell(wec, WEB, returned(isUnhealthy(index) ? 1 : 3));
  await pipeline.settle();
  return pipeline;
}

/** What a list by health finds, and how many rows it reads. */
async function progressing({
  store,
}: Pipeline): Promise<{ found: readonly string[]; rows: number }> {
  const counting = new CountingStore(store);
  const source = createStatusSource({ store: counting, wds: 'wds1', clock: () => 0 });
  const items: WecStatus[] = [];
  let after: string | undefined;
  do {
    const page = await source.wecStatuses({
      scope: { namespace: 'shop' },
      selector: { labels: [], fields: [{ field: 'health', operator: '=', value: 'Progressing' }] },
      limit: 50,
      readable: () => true,
      ...(after === undefined ? {} : { after }),
    });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return { found: items.map(({ wec }) => wec), rows: counting.rows };
}

const namesOf = (isUnhealthy: (index: number) => boolean): readonly string[] =>
  WECS.filter((_wec, index) => isUnhealthy(index));

describe('a list by health of an object in many WECs', () => {
  it.each<readonly [string, (index: number) => boolean, number]>([
    ['nobody', () => false, 0],
    ['so few that the head names them', (index) => index % 32 === 5, 8],
    ['so few that the parts of the shards name them', (index) => index % 4 === 1, 64],
    ['all', () => true, 256],
  ])('reads only the rows that it returns if %s is unhealthy', async (_who, rule, count) => {
    const { found, rows } = await progressing(await fleet(rule));
    expect(found).toEqual(namesOf(rule));
    expect(found).toHaveLength(count);
    expect(rows).toBe(count);
  });

  it('reads all rows of an object in one shard with more unhealthy WECs than its head names', async () => {
    const { found, rows } = await progressing(await fleet((index) => index % 4 !== 0, 300));
    expect([found.length, rows]).toEqual([192, 256]);
  });

  describe('that is aggregated again', () => {
    let pipeline: Pipeline;
    beforeAll(async () => {
      pipeline = await fleet((index) => index % 32 === 5);
    });

    it('finds a WEC that has become unhealthy, and not one that has recovered', async () => {
      pipeline.tell('wec005', WEB, returned(3));
      pipeline.tell('wec006', WEB, returned(1));
      await pipeline.settle();
      const { found, rows } = await progressing(pipeline);
      expect(found.slice(0, 2)).toEqual(['wec006', 'wec037']);
      expect([found.length, rows]).toEqual([8, 8]);
    });
  });
});

describe('the objects of a WEC', () => {
  /** The WECs as a list shows them, and how many rows that reads. */
  async function listed(
    pipeline: Pipeline,
    bounds?: CountBounds,
  ): Promise<{ wecs: ReadonlyMap<string, WecCounts>; rows: number }> {
    const store = new CountingStore(pipeline.store);
    const destinations = createDestinationStore(store);
    const objects = new BoundObjects(store, 'wds1', destinations);
    const deps = { store, wds: 'wds1', destinations, objects, specs: createSpecStore(store) };
    const most = bounds ?? { objects: 1, partsAndRows: 1_000 };
    return { wecs: await countWecs(deps, WECS, most), rows: store.rows };
  }
  const unhealthyIn = (wecs: ReadonlyMap<string, WecCounts>): readonly string[] =>
    [...wecs].flatMap(([wec, { unhealthyObjects = 0 }]) => (unhealthyObjects > 0 ? [wec] : []));
  const every = (step: number) => WECS.filter((_wec, index) => index % step === 0);

  it.each([
    ['none is unhealthy', () => false, []],
    ['the head names the unhealthy ones', (index: number) => index % 16 === 0, every(16)],
    ['the parts of shards name them', (index: number) => index % 4 === 0, every(4)],
  ])('are counted without their rows if %s', async (_case, isBad, expected) => {
    const found = await listed(await fleet(isBad));
    expect(unhealthyIn(found.wecs)).toEqual(expected);
    expect(found.wecs.get('wec001')).toEqual({
      objects: 1,
      unhealthyObjects: Number(expected.includes('wec001')),
    });
    expect(found.rows).toBe(0);
  });

  it('are counted by their rows if no part names them', async () => {
    const found = await listed(await fleet((index) => index % 4 === 0, 1_000));
    expect(unhealthyIn(found.wecs)).toEqual(every(4));
    expect(found.rows).toBe(WECS.length);
  });

  it('are counted by the rows of a shard that has no part', async () => {
    const pipeline = await fleet((index) => index % 4 === 0);
    const pk = subjectPartition({ type: 'workload', workload: WEB });
    const { items } = await pipeline.store.query({ ...range(pk, RANGE.part), limit: 1 });
    expect(items).toHaveLength(1);
    await pipeline.store.delete(items.map(({ sk }) => ({ key: { pk, sk } })));
    const found = await listed(pipeline);
    expect(unhealthyIn(found.wecs)).toEqual(every(4));
    expect(found.rows).toBe(WECS.filter((wec) => shardOf(wec, 16) === 0).length);
  });

  it('are not counted if there are too many, nor judged if too many rows would be read', async () => {
    const pipeline = await fleet((index) => index % 4 === 0, 1_000);
    const tooMany = await listed(pipeline, { objects: 0, partsAndRows: 1_000 });
    expect(tooMany.wecs.size).toBe(0);
    const { wecs, rows } = await listed(pipeline, { objects: 1, partsAndRows: 255 });
    expect(wecs.get('wec000')).toEqual({ objects: 1 });
    expect(rows).toBe(0);
    const parts = await listed(await fleet((index) => index % 4 === 0), {
      objects: 1,
      partsAndRows: 15,
    });
    expect(parts.wecs.get('wec000')).toEqual({ objects: 1 });
  });
});
