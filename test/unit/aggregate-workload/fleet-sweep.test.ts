import { beforeEach, describe, expect, it } from 'vitest';
import { sweepSource } from '#functions/aggregate-workload/sweep.ts';
import type { EventContent } from '#shared/core/event.ts';
import { sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { readContacts } from '#shared/state/fleet/contacts.ts';
import { fleetRowKey, jobKey } from '#shared/state/fleet/fleet-rows.ts';
import { isListed, markListed } from '#shared/state/fleet/listed.ts';
import { placedKey } from '#shared/state/fleet/placed-object.ts';
import { RANGE, range, SORT } from '#shared/state/keys.ts';
import { readObserved } from '#shared/state/observed.ts';
import {
  cluster,
  deployment,
  deploymentsOf,
  FLEET_SOURCE,
  fleetObject,
  NAMESPACE,
  says,
  UPSTREAM,
} from '#test/unit/protocol/fleet-events.ts';
import { interrupted, type Moment, Pipeline } from '#test/unit/protocol/pipeline.ts';

const SWEEP = { type: 'sweep', source: FLEET_SOURCE, since: { epoch: 2, sequence: 0 } } as const;
const LATELY = '2026-01-01T00:00:00Z';

const BUNDLE = fleetObject('bundles', 'web');
const PLACED = placedKey({
  upstream: UPSTREAM,
  resource: 'bundledeployments',
  namespace: deploymentsOf('c1'),
  name: 'web',
});
const ROWS = [
  fleetRowKey(BUNDLE, { family: 'CLUSTER', id: `${NAMESPACE}/c1` }, `${deploymentsOf('c1')}/web`),
  fleetRowKey(
    fleetObject('clusters', 'c1'),
    { family: 'BUNDLE', id: `${NAMESPACE}/web` },
    `${deploymentsOf('c1')}/web`,
  ),
];
const TOLD_OF_ROWS = [`bundles/web CLUSTER#${NAMESPACE}/c1`, `clusters/c1 BUNDLE#${NAMESPACE}/web`];

let pipeline: Pipeline;
beforeEach(() => {
  pipeline = new Pipeline();
});

async function say(content: EventContent, epoch = 1): Promise<void> {
  await pipeline.record(pipeline.event(FLEET_SOURCE, content, epoch));
  pipeline.takeDirty();
}

const DEPLOYMENT = says('bundledeployments', 'web', {
  namespace: deploymentsOf('c1'),
  object: deployment('web', 'c1'),
});
const CLUSTER = says('clusters', 'c1', { object: cluster('c1', LATELY), ownedHash: 'f' });

/** Who has been told since the last call, with the rows that have changed. */
function told(): readonly string[] {
  return pipeline
    .takeDirty()
    .map((message) => {
      if (message.type !== 'subject' || message.subject.type !== 'fleet') return message.type;
      const { resource, name } = message.subject;
      return [`${resource}/${name}`, ...(message.rows ?? [])].join(' ');
    })
    .sort();
}

/** Of each of these rows whether it stands, or a tombstone. */
async function standing(keys: readonly ItemKey[] = ROWS): Promise<readonly unknown[]> {
  const items = await pipeline.store.get(keys);
  return items.map((item) => item && item.body !== undefined);
}

/** How many objects the source is known to have said something of. */
async function entries(): Promise<number> {
  const { items } = await pipeline.store.query(
    range(sourcePartition(FLEET_SOURCE), RANGE.reported),
  );
  return items.length;
}

const killed = (): Promise<void> => Promise.reject(new Error('killed'));

describe('a BundleDeployment that its source has no more', () => {
  beforeEach(() => say(DEPLOYMENT));

  it('has no rows, the former owners are notified, and it is forgotten', async () => {
    expect(await standing()).toEqual([true, true]);
    await pipeline.aggregate(SWEEP);
    expect(await standing()).toEqual([false, false]);
    expect(told()).toEqual(TOLD_OF_ROWS);
    expect(await entries()).toBe(0);
    await pipeline.aggregate(SWEEP);
    expect(told()).toEqual([]);
  });

  it('does not return with an event that is late', async () => {
    const late = pipeline.event(FLEET_SOURCE, DEPLOYMENT);
    await pipeline.aggregate(SWEEP);
    await pipeline.record(late);
    expect(await standing()).toEqual([false, false]);
  });

  it.each<[string, Moment]>([
    ['before its places are kept', { call: 'put', sk: PLACED.sk, when: 'before' }],
    ['before its rows are tombstones', { call: 'put', sk: 'CLUSTER#', when: 'before' }],
    ['after its rows are tombstones', { call: 'put', sk: 'CLUSTER#', when: 'after' }],
  ])('goes with the next sweep when one dies %s', async (_when, moment) => {
    const dying = interrupted(pipeline.store, moment, killed);
    await expect(pipeline.aggregate(SWEEP, dying)).rejects.toThrow('killed');
    expect(told()).toEqual([]);
    await pipeline.aggregate(SWEEP);
    expect(await standing()).toEqual([false, false]);
    expect(told()).toEqual(TOLD_OF_ROWS);
  });

  it('is reported by the next sweep when the queue was down', async () => {
    const { dirty, ...deps } = pipeline.aggregateDeps();
    await expect(
      sweepSource({ ...deps, dirty: { ...dirty, send: killed } }, SWEEP),
    ).rejects.toThrow('killed');
    await pipeline.aggregate(SWEEP);
    expect(told()).toEqual(TOLD_OF_ROWS);
    expect(await entries()).toBe(0);
  });
});

describe('a BundleDeployment that its source still has', () => {
  it('stays with its rows, and no subject is notified', async () => {
    await say(DEPLOYMENT);
    await say(DEPLOYMENT, 2);
    await pipeline.aggregate(SWEEP);
    expect(await standing()).toEqual([true, true]);
    expect(told()).toEqual([]);
    expect(await entries()).toBe(1);
  });

  it('is not forgotten if that was not its first event', async () => {
    await say(DEPLOYMENT);
    const object = deployment('web', 'c1');
    const namespace = deploymentsOf('c1');
    await say(says('bundledeployments', 'web', { namespace, object, first: false }), 2);
    await pipeline.aggregate(SWEEP);
    expect(await entries()).toBe(1);
  });

  it.each<[string, Moment]>([
    ['looked at it', { call: 'get', sk: PLACED.sk, when: 'after' }],
    ['kept its places', { call: 'put', sk: PLACED.sk, when: 'after' }],
    ['replaced its rows with tombstones', { call: 'put', sk: 'CLUSTER#', when: 'after' }],
  ])('stays if its source reports it after a sweep has %s', async (_when, moment) => {
    await say(DEPLOYMENT);
    const overtaken = interrupted(pipeline.store, moment, () => say(DEPLOYMENT, 3));
    await pipeline.aggregate(SWEEP, overtaken);
    expect(await standing()).toEqual([true, true]);
    expect(await entries()).toBe(1);
  });
});

it('a Job that its source no longer has is removed from its GitRepo, which is notified', async () => {
  const ownerReferences = [{ kind: 'GitRepo', name: 'one' }];
  const object = { kind: 'Job', metadata: { name: 'j', namespace: NAMESPACE, ownerReferences } };
  await say(says('jobs', 'j', { object }));
  const key = jobKey(fleetObject('gitrepos', 'one'), 'j');
  expect(await standing([key])).toEqual([true]);
  await pipeline.aggregate(SWEEP);
  expect(await standing([key])).toEqual([false]);
  expect(told()).toEqual(['gitrepos/one']);
});

describe('a Cluster that its source has no more', () => {
  const OBJECT = { pk: subjectPartition(fleetObject('clusters', 'c1')), sk: SORT.object };

  it('is gone with its contact, and is reported', async () => {
    await say(CLUSTER);
    await pipeline.aggregate(SWEEP);
    expect(await readObserved(pipeline.store, [OBJECT])).toMatchObject([{ content: undefined }]);
    expect(await readContacts(pipeline.store, UPSTREAM)).toMatchObject([{ lastSeen: undefined }]);
    expect(told()).toEqual(['clusters/c1']);
    expect(pipeline.takeHints().map(({ subject }) => subject)).toEqual([
      fleetObject('clusters', 'c1'),
    ]);
    expect(await entries()).toBe(0);
  });

  it('loses its contact by the next sweep when one dies before that', async () => {
    await say(CLUSTER);
    const contact: Moment = { call: 'put', sk: `${NAMESPACE}/c1`, when: 'before' };
    const dying = interrupted(pipeline.store, contact, killed);
    await expect(pipeline.aggregate(SWEEP, dying)).rejects.toThrow('killed');
    await pipeline.aggregate(SWEEP);
    expect(await readContacts(pipeline.store, UPSTREAM)).toMatchObject([{ lastSeen: undefined }]);
    expect(told()).toEqual(['clusters/c1']);
  });

  it('keeps its contact if its source reports it in the meantime', async () => {
    await say(CLUSTER);
    const looked: Moment = { call: 'get', sk: SORT.object, when: 'after' };
    await pipeline.aggregate(
      SWEEP,
      interrupted(pipeline.store, looked, () => say(CLUSTER, 3)),
    );
    expect(await readContacts(pipeline.store, UPSTREAM)).toMatchObject([{ lastSeen: LATELY }]);
    expect((await readObserved(pipeline.store, [OBJECT]))[0]?.content).toBeDefined();
  });

  it('loses no contact of another one', async () => {
    await say(CLUSTER);
    await say(says('clusters', 'c2', { object: cluster('c2', LATELY) }), 2);
    await pipeline.aggregate(SWEEP);
    expect(await readContacts(pipeline.store, UPSTREAM)).toMatchObject([
      { name: `${NAMESPACE}/c1`, lastSeen: undefined },
      { name: `${NAMESPACE}/c2`, lastSeen: LATELY },
    ]);
  });
});

it('a Bundle that its source has no more is removed and reported, and leaves no contact', async () => {
  await say(says('bundles', 'web', { object: { kind: 'Bundle' }, ownedHash: 'f' }));
  await pipeline.aggregate(SWEEP);
  const key = { pk: subjectPartition(BUNDLE), sk: SORT.object };
  expect(await readObserved(pipeline.store, [key])).toMatchObject([{ content: undefined }]);
  expect(await readContacts(pipeline.store, UPSTREAM)).toEqual([]);
  expect(told()).toEqual(['bundles/web']);
});

it('the first sweep notifies the writer of all that exists, which was not written until then', async () => {
  await say(CLUSTER, 3);
  await say(DEPLOYMENT, 3);
  expect(await isListed(pipeline.store, UPSTREAM)).toBe(false);
  // Again, as after a crash.
  for (const _again of [1, 2]) {
    await pipeline.aggregate(SWEEP);
    expect([told(), pipeline.takeHints().length]).toEqual([[], _again === 1 ? 1 : 0]);
  }
  expect(await isListed(pipeline.store, UPSTREAM)).toBe(true);
});

it('a later sweep notifies the writer of nothing that a management cluster still has', async () => {
  await markListed(pipeline.store, UPSTREAM, { epoch: 0, sequence: 0 });
  await say(CLUSTER, 3);
  await say(DEPLOYMENT, 3);
  await pipeline.aggregate(SWEEP);
  expect([told(), pipeline.takeHints()]).toEqual([[], []]);
  expect(await readContacts(pipeline.store, UPSTREAM)).toMatchObject([{ lastSeen: LATELY }]);
});

it('a sweep continues page by page over what it can read and what it cannot', async () => {
  const names = Array.from({ length: 130 }, (_, index) => `d${index}`);
  for (const name of names)
    await say(
      says('bundledeployments', name, {
        namespace: deploymentsOf('c1'),
        object: deployment(name, 'c1'),
      }),
    );
  const pk = sourcePartition(FLEET_SOURCE);
  const unreadable = { pk, sk: `${RANGE.reported}X#rancher|OBJECT`, version: '1' };
  await pipeline.store.put([{ item: unreadable }]);
  let pages = 0;
  for (let next = [SWEEP] as ReturnType<typeof pipeline.takeDirty>; next.length > 0; ) {
    for (const message of next) await pipeline.aggregate(message);
    pages += 1;
    next = pipeline.takeDirty().filter(({ type }) => type === 'sweep');
  }
  expect([pages, await entries()]).toEqual([2, 1]);
  expect(pipeline.telemetry.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});
