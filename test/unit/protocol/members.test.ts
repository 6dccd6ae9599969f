import { expect, it } from 'vitest';
import { member } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { RANGE } from '#shared/state/keys.ts';
import { readOldestMemberships } from '#shared/state/membership.ts';
import { BINDING, interrupted, MULTI, Pipeline, WDS, WEB, WEB_SUBJECT } from './pipeline.ts';

const PK = subjectPartition(WEB_SUBJECT);
const WECS = ['wec1'];
const BOTH = { ...MULTI, wantSingletonReportedState: true };

/** A pipeline whose Binding names nothing yet, while its WEC has the Deployment. */
async function unbound(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.begin(WECS);
  await pipeline.bind(WECS, null);
  await pipeline.settle();
  await pipeline.record(pipeline.said('wec1', 4));
  await pipeline.settle();
  return pipeline;
}

/** Handles what a change of the Binding made dirty, and when it has seen its members lets something else happen first. */
async function walkOvertakenBy(pipeline: Pipeline, change: () => Promise<void>): Promise<void> {
  const [message] = pipeline.takeDirty();
  if (message === undefined) throw new Error('nothing is dirty');
  const moment = { call: 'query', sk: RANGE.member, when: 'after' } as const;
  const slow = interrupted(pipeline.store, moment, async () => {
    await change();
    for (const other of pipeline.takeDirty()) await pipeline.aggregate(other);
  });
  await pipeline.aggregate(message, slow);
  await pipeline.settle();
}

it('does not add a member that was taken out while an older walk was slow', async () => {
  const pipeline = await unbound();
  await pipeline.bind(WECS);
  await walkOvertakenBy(pipeline, () => pipeline.bind(WECS, null));
  expect((await readOldestMemberships(pipeline.store, PK)).counted).toEqual([]);
});

it('does not leave a membership to destinations that are gone', async () => {
  const pipeline = await unbound();
  await pipeline.bind(WECS);
  await walkOvertakenBy(pipeline, () => pipeline.bind(['wec2'], null));
  await pipeline.record(pipeline.said('wec1', 5));
  await pipeline.settle();
  expect((await readOldestMemberships(pipeline.store, PK)).counted).toEqual([]);
});

it('adds a member again that an older walk had noted after it was taken out', async () => {
  const pipeline = await unbound();
  await pipeline.bind(WECS);
  await pipeline.settle();
  await pipeline.bind(WECS, BOTH);
  await walkOvertakenBy(pipeline, () => pipeline.bind(WECS, null));
  await pipeline.bind(WECS, BOTH);
  await pipeline.settle();
  expect((await readOldestMemberships(pipeline.store, PK)).counted).toHaveLength(1);
});

/** A Binding of the Deployment, and of more ConfigMaps than are in a page of its members, whose keys precede it. */
async function bindAmongConfigMaps(pipeline: Pipeline): Promise<void> {
  const configMaps = Array.from({ length: 250 }, (_, index) => ({
    ...{ group: '', version: 'v1', resource: 'configmaps', namespace: 'shop' },
    ...{ name: `c${index}`, resourceVersion: '1', ...MULTI },
  }));
  await pipeline.apply(BINDING, {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'b' },
    spec: {
      destinations: WECS.map((clusterId) => ({ clusterId })),
      workload: { namespaceScope: [...configMaps, { ...WEB, resourceVersion: '1', ...MULTI }] },
    },
  });
}

function resourcesOf(messages: readonly DirtyMessage[]): readonly string[] {
  return messages.map((message) =>
    message.type === 'subject' && message.subject.type === 'workload'
      ? message.subject.workload.resource
      : message.type,
  );
}

it('notifies a Deployment before the ConfigMaps of its Binding, and once', async () => {
  const pipeline = await unbound();
  await bindAmongConfigMaps(pipeline);
  const [message] = pipeline.takeDirty();
  if (message === undefined) throw new Error('nothing is dirty');
  await pipeline.aggregate(message);
  const first = pipeline.takeDirty();
  expect(resourcesOf(first).slice(0, 2)).toEqual(['deployments', 'configmaps']);
  expect(resourcesOf(first).at(-1)).toBe('members');
  const all = [...first];
  for (let next = first; next.some(({ type }) => type === 'members'); ) {
    for (const page of next) if (page.type === 'members') await pipeline.aggregate(page);
    next = pipeline.takeDirty();
    all.push(...next);
  }
  const counts = Map.groupBy(resourcesOf(all), (resource) => resource);
  expect(counts.get('deployments')).toHaveLength(1);
  expect(counts.get('configmaps')).toHaveLength(250);
});

it('notifies a Deployment whose first notification was interrupted', async () => {
  const pipeline = await unbound();
  await bindAmongConfigMaps(pipeline);
  const [message] = pipeline.takeDirty();
  if (message === undefined) throw new Error('nothing is dirty');
  const moment = { call: 'put', sk: RANGE.membership, when: 'before' } as const;
  const failing = interrupted(pipeline.store, moment, () => Promise.reject(new Error('crash')));
  await expect(pipeline.aggregate(message, failing)).rejects.toThrow('crash');
  expect(pipeline.takeDirty()).toEqual([]);
  await pipeline.aggregate(message);
  expect(resourcesOf(pipeline.takeDirty())[0]).toBe('deployments');
  await pipeline.settle();
});

const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' } as const;

it('finds the subject of a CombinedStatus that was made again while an older writer discarded it', async () => {
  const pipeline = await unbound();
  await pipeline.listWds();
  const collector: ObjectRef = { ...CONTROL, resource: 'statuscollectors', name: 'wecs' };
  await pipeline.apply(collector, {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'StatusCollector',
    metadata: { name: 'wecs' },
    spec: { select: [{ name: 'wec', def: 'inventory.name' }] },
  });
  await pipeline.bind(WECS, { statusCollectors: ['wecs'] });
  await pipeline.settle();
  const standing = () =>
    pipeline.wds.objects().find(({ ref }) => ref.resource === 'combinedstatuses');
  await pipeline.bind(WECS, {});
  for (let left = pipeline.takeDirty(); left.length > 0; left = pipeline.takeDirty())
    for (const message of left) await pipeline.aggregate(message);
  pipeline.takeHints();
  let isSlow = true;
  const slow = {
    ...pipeline.store,
    delete: async (deletes: Parameters<typeof pipeline.store.delete>[0]) => {
      if (isSlow) {
        isSlow = false;
        await pipeline.bind(WECS, { ...MULTI, statusCollectors: ['wecs'] });
        await pipeline.settle();
      }
      return pipeline.store.delete(deletes);
    },
  };
  await pipeline.write({ subject: WEB_SUBJECT, objects: [] }, slow);
  await pipeline.settle();
  const made = standing();
  expect(made).toBeDefined();
  if (made === undefined) return;
  // A user deletes it, and the watch tells only which object is gone.
  pipeline.wds.remove(made.ref);
  const { group, resource, namespace, name } = made.ref;
  const subject = { group, resource, namespace, name };
  await pipeline.record(
    pipeline.event({ type: 'wds', name: WDS }, { type: 'wds-object', subject, first: false }),
  );
  await pipeline.settle();
  expect(standing()).toBeDefined();
});

it('clears what Starfold wrote when the Binding was deleted while no event of it or its object arrived', async () => {
  const pipeline = new Pipeline();
  await pipeline.begin(WECS);
  await pipeline.record(pipeline.said('wec1', 4));
  await pipeline.settle();
  expect(await pipeline.ready()).toBe(4);
  // The next forwarder finds no Binding, so it looks at no Deployment either.
  const since = { epoch: 2, sequence: 0 };
  await pipeline.record(pipeline.event({ type: 'wds', name: WDS }, { type: 'snapshot', since }, 2));
  await pipeline.settle();
  const object = await pipeline.wds.api.get(WEB);
  expect(object?.['status']).toEqual({});
  expect(member(object?.['metadata'], 'labels')).toEqual({});
});
