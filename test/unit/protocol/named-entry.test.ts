import { describe, expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import { putHead, readHead } from '#shared/state/head.ts';
import { namedPartition, putNamed } from '#shared/state/named-objects.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { interrupted, Pipeline, WDS, WEB, WEB_SUBJECT } from './pipeline.ts';

const PK = subjectPartition(WEB_SUBJECT);
const DIRTY: DirtyMessage = { type: 'subject', subject: WEB_SUBJECT };
const ENTRY = 'shop#deployments.apps:web';

async function entries({ store }: Pick<Pipeline, 'store'>): Promise<readonly string[]> {
  const { items } = await store.query({ pk: namedPartition(WDS) });
  return items.map(({ sk }) => sk);
}

async function begun(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.begin(['wec1']);
  return pipeline;
}

describe('the entry of an object that a Binding names', () => {
  it('stands, and an aggregation that changes nothing does not write it again', async () => {
    const pipeline = await begun();
    expect(await entries(pipeline)).toEqual([ENTRY]);
    const written: string[] = [];
    const noting = {
      ...pipeline.store,
      put: (puts: Parameters<typeof pipeline.store.put>[0]) => {
        written.push(...puts.map(({ item }) => item.pk));
        return pipeline.store.put(puts);
      },
    };
    await pipeline.aggregate(DIRTY, noting);
    expect(written).toContain(PK);
    expect(written).not.toContain(namedPartition(WDS));
  });

  it('goes when no Binding names the object any more, and stands again when one does', async () => {
    const pipeline = await begun();
    await pipeline.bind(['wec1'], null);
    await pipeline.settle();
    expect(await entries(pipeline)).toEqual([]);
    await pipeline.bind(['wec1']);
    await pipeline.settle();
    expect(await entries(pipeline)).toEqual([ENTRY]);
  });

  it('is not removed by a slow process that has seen no Binding', async () => {
    const pipeline = await begun();
    await pipeline.bind(['wec1'], null);
    const dirty = pipeline.takeDirty();
    const slow = interrupted(
      pipeline.store,
      { call: 'delete', sk: ENTRY, when: 'before' },
      async () => {
        await pipeline.bind(['wec1']);
        await pipeline.settle();
      },
    );
    for (const message of dirty) await pipeline.aggregate(message, slow);
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message, slow);
    await pipeline.settle();
    expect(await entries(pipeline)).toEqual([ENTRY]);
  });

  it('goes when the message is repeated, if a process died before it removed the entry', async () => {
    const pipeline = await begun();
    await pipeline.bind(['wec1'], null);
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    const dying = interrupted(pipeline.store, { call: 'delete', sk: ENTRY, when: 'before' }, () =>
      Promise.reject(new Error('crash')),
    );
    await expect(pipeline.aggregate(DIRTY, dying)).rejects.toThrow('crash');
    expect(await entries(pipeline)).toEqual([ENTRY]);
    await pipeline.aggregate(DIRTY);
    expect(await entries(pipeline)).toEqual([]);
  });

  it('is put when the WDS reports the object again, if an older release has aggregated it', async () => {
    const pipeline = await begun();
    const { named: _named, ...older } = await readHead(pipeline.store, PK);
    await putHead(pipeline.store, PK, { ...older, revision: older.revision + 1 });
    await pipeline.store.delete([{ key: { pk: namedPartition(WDS), sk: ENTRY } }]);
    const { group, resource, namespace, name } = WEB;
    const object = pipeline.wds.objects().find(({ ref }) => ref.resource === resource)?.object;
    const subject = { group, resource, namespace, name };
    const relisted = {
      type: 'wds-object',
      subject,
      first: true,
      ...(object && { object }),
    } as const;
    await pipeline.record(pipeline.event({ type: 'wds', name: WDS }, relisted));
    await pipeline.settle();
    expect(await entries(pipeline)).toEqual([ENTRY]);
    await pipeline.record(pipeline.event({ type: 'wds', name: WDS }, relisted));
    expect(pipeline.takeDirty()).toEqual([]);
  });

  it('does not exist for an object that the API cannot name', async () => {
    const store = createMemoryItemStore();
    const { workload } = WEB_SUBJECT;
    await putNamed(store, { ...workload, resource: 'deployments.v1' }, 1);
    await putNamed(store, { ...workload, resource: 'Deployments' }, 1);
    expect(await entries({ store })).toEqual([]);
  });

  it('sorts by namespace, then by the name in the API', async () => {
    const store = createMemoryItemStore();
    const of = (namespace: string, name: string) => ({ ...WEB_SUBJECT.workload, namespace, name });
    for (const workload of [of('a-b', 'x'), of('a', 'web'), of('a', 'web-2'), of('', 'web')])
      await putNamed(store, workload, 1);
    expect(await entries({ store })).toEqual([
      '#deployments.apps:web',
      'a#deployments.apps:web',
      'a#deployments.apps:web-2',
      'a-b#deployments.apps:x',
    ]);
  });
});
