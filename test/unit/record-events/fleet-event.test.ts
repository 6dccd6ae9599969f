import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { deploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import { type ItemKey, MAX_ITEM_BYTES } from '#shared/ports/item-store.ts';
import { bodyBytes } from '#shared/state/body.ts';
import { contactKey, readContacts } from '#shared/state/fleet/contacts.ts';
import { fleetRowKey, jobKey, readNewestJob, rowNameText } from '#shared/state/fleet/fleet-rows.ts';
import { placedKey } from '#shared/state/fleet/placed-object.ts';
import { reportedKey, SORT } from '#shared/state/keys.ts';
import { readObserved } from '#shared/state/observed.ts';
import { bodyJson } from '#test/fakes/item-body.ts';
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
import { interrupted, Pipeline } from '#test/unit/protocol/pipeline.ts';

const BUNDLE = fleetObject('bundles', 'web');
const WEB_ID = `${NAMESPACE}/web`;
const [LATELY, LATER] = ['2026-01-01T00:00:00Z', '2026-01-01T00:15:00Z'];
const RESOURCE = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web' };

let pipeline: Pipeline;
beforeEach(() => {
  pipeline = new Pipeline();
});

/** The next event about the BundleDeployment of the Bundle `web` that once was made for the Cluster `c1`. */
function deployed(to: string | undefined, resources: readonly JsonObject[] = [], first = true) {
  const object = to === undefined ? {} : { object: deployment('web', to, resources) };
  const namespace = deploymentsOf('c1');
  return pipeline.event(
    FLEET_SOURCE,
    says('bundledeployments', 'web', { namespace, first, ...object }),
  );
}

/** The end of a complete listing that began with this epoch. */
function listed(epoch: number): ForwarderEvent {
  return pipeline.event(FLEET_SOURCE, { type: 'snapshot', since: { epoch, sequence: 0 } }, epoch);
}

/** The key of the row of the BundleDeployment below its Bundle, or below a Cluster. */
function belowBundle(id: string): ItemKey {
  return fleetRowKey(BUNDLE, { family: 'CLUSTER', id }, `${deploymentsOf('c1')}/web`);
}
function belowCluster(name: string): ItemKey {
  const row = { family: 'BUNDLE', id: WEB_ID } as const;
  return fleetRowKey(fleetObject('clusters', name), row, `${deploymentsOf('c1')}/web`);
}

async function rowAt(key: ItemKey) {
  const [item] = await pipeline.store.get([key]);
  if (item === undefined) return undefined;
  return item.body === undefined ? 'gone' : bodyJson<JsonObject>(item);
}

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

const clusterRow = (name: string) => rowNameText({ family: 'CLUSTER', id: `${NAMESPACE}/${name}` });
const BUNDLE_ROW = rowNameText({ family: 'BUNDLE', id: WEB_ID });

describe('a BundleDeployment', () => {
  it('is a row below its Bundle, and one without resources below its Cluster; both are reported', async () => {
    await pipeline.record(deployed('c1', [RESOURCE]));
    const row = deploymentRow(deployment('web', 'c1', [RESOURCE]));
    expect(row.resources).toHaveLength(1);
    expect(await rowAt(belowBundle(`${NAMESPACE}/c1`))).toEqual(JSON.parse(JSON.stringify(row)));
    expect(await rowAt(belowCluster('c1'))).toEqual(
      JSON.parse(JSON.stringify({ ...row, resources: [] })),
    );
    expect(told()).toEqual([`bundles/web ${clusterRow('c1')}`, `clusters/c1 ${BUNDLE_ROW}`]);
  });

  it('without labels of a Cluster is a row below its Bundle alone', async () => {
    await pipeline.record(deployed(''));
    expect(await rowAt(belowBundle('/'))).toMatchObject({ cluster: '', bundle: WEB_ID });
    expect(told()).toEqual(['bundles/web CLUSTER#/']);
  });

  it('that moves to another Cluster is removed from the former one, and all are notified', async () => {
    await pipeline.record(deployed('c1'));
    told();
    await pipeline.record(deployed('c2'));
    expect(await rowAt(belowCluster('c1'))).toBe('gone');
    expect(await rowAt(belowBundle(`${NAMESPACE}/c1`))).toBe('gone');
    expect(await rowAt(belowCluster('c2'))).toMatchObject({ cluster: `${NAMESPACE}/c2` });
    expect(told()).toEqual([
      `bundles/web ${clusterRow('c1')} ${clusterRow('c2')}`,
      `clusters/c1 ${BUNDLE_ROW}`,
      `clusters/c2 ${BUNDLE_ROW}`,
    ]);
  });

  it('that is deleted is removed from both, and both are notified', async () => {
    await pipeline.record(deployed('c1'));
    told();
    await pipeline.record(deployed(undefined));
    expect(await rowAt(belowCluster('c1'))).toBe('gone');
    expect(await rowAt(belowBundle(`${NAMESPACE}/c1`))).toBe('gone');
    expect(told()).toEqual([`bundles/web ${clusterRow('c1')}`, `clusters/c1 ${BUNDLE_ROW}`]);
  });

  it('that was deleted does not return with an event that is late', async () => {
    const late = deployed('c1');
    await pipeline.record(deployed('c1'));
    await pipeline.record(deployed(undefined));
    told();
    await pipeline.record(late);
    expect(await rowAt(belowCluster('c1'))).toBe('gone');
    expect(told()).toEqual([]);
  });

  it('is reported again when its event is: the process that recorded it may have died before the notification', async () => {
    const event = deployed('c1');
    const { dirty, ...deps } = pipeline.aggregateDeps();
    const send = (): Promise<void> => Promise.reject(new Error('killed'));
    await expect(recordEvents({ ...deps, dirty: { ...dirty, send } }, [event])).rejects.toThrow();
    expect(told()).toEqual([]);
    await pipeline.record(event);
    expect(told()).toEqual([`bundles/web ${clusterRow('c1')}`, `clusters/c1 ${BUNDLE_ROW}`]);
  });

  it('of which several events come together is recorded as of the newest, and was seen first', async () => {
    const [first, second] = [deployed('c1'), deployed('c2')];
    await pipeline.record(second, first);
    expect(await rowAt(belowCluster('c1'))).toBeUndefined();
    expect(await rowAt(belowCluster('c2'))).not.toBe('gone');
    expect(told().filter((one) => one.startsWith('clusters/'))).toHaveLength(1);
  });

  it('whose labels name nothing that can be is known, and is a row of nobody', async () => {
    const { metadata, ...rest } = deployment('web', 'c1');
    const labels = { 'fleet.cattle.io/bundle-namespace': 'a/b' };
    const object = { ...rest, metadata: { ...(metadata as JsonObject), labels } };
    const namespace = deploymentsOf('c1');
    await pipeline.record(deployed('c1'));
    const said = says('bundledeployments', 'web', { namespace, object });
    await pipeline.record(pipeline.event(FLEET_SOURCE, said));
    expect(await rowAt(belowCluster('c1'))).toBe('gone');
    expect(await rowAt(belowBundle(`${NAMESPACE}/c1`))).toBe('gone');
  });

  it('is found by a sweep, whether or not its event says that it is the first', async () => {
    const ref = { upstream: UPSTREAM, namespace: deploymentsOf('c1'), name: 'web' };
    const seen = reportedKey(FLEET_SOURCE, placedKey({ ...ref, resource: 'bundledeployments' }));
    await pipeline.record(deployed('c1', [], false));
    expect(await pipeline.store.get([seen])).toMatchObject([{ ...seen }]);
  });

  it('with more resources than an item takes loses them below its Bundle, and is incomplete', async () => {
    const many = Array.from({ length: 14_000 }, (_, index) => ({
      ...RESOURCE,
      name: createHash('sha256').update(String(index)).digest('hex').slice(0, 63),
    }));
    const row = deploymentRow(deployment('web', 'c1', many));
    expect([row.incomplete, row.resources.length]).toEqual([false, many.length]);
    await pipeline.record(deployed('c1', many));
    const cut = await rowAt(belowBundle(`${NAMESPACE}/c1`));
    expect(cut).toMatchObject({ resources: [], incomplete: true, cluster: `${NAMESPACE}/c1` });
    expect(await rowAt(belowCluster('c1'))).toMatchObject({ resources: [], incomplete: false });
  });

  it('with as many resources as an item takes keeps them', async () => {
    const many = Array.from({ length: 9_000 }, (_, index) => ({
      ...RESOURCE,
      name: createHash('sha256').update(String(index)).digest('hex').slice(0, 63),
    }));
    await pipeline.record(deployed('c1', many));
    const [item] = await pipeline.store.get([belowBundle(`${NAMESPACE}/c1`)]);
    expect(bodyBytes(item?.body ?? '')).toBeGreaterThan(MAX_ITEM_BYTES / 2);
    const stored = await rowAt(belowBundle(`${NAMESPACE}/c1`));
    expect(member(stored === 'gone' ? undefined : stored, 'resources')).toHaveLength(many.length);
    expect(stored).toMatchObject({ incomplete: false });
  });
});

describe('what is older than the last complete listing', () => {
  it('becomes a tombstone, and its subjects are notified', async () => {
    const late = deployed('c1');
    await pipeline.record(listed(2));
    expect(told()).toEqual(['sweep']);
    await pipeline.record(late);
    expect(await rowAt(belowCluster('c1'))).toBe('gone');
    expect(await rowAt(belowBundle(`${NAMESPACE}/c1`))).toBe('gone');
    expect(told()).toEqual([`bundles/web ${clusterRow('c1')}`, `clusters/c1 ${BUNDLE_ROW}`]);
  });

  it('becomes a tombstone also if the listing ends while it is recorded', async () => {
    const { dirty, hints, specs, clock } = pipeline.aggregateDeps();
    const rows = { call: 'put', sk: 'CLUSTER#', when: 'after' } as const;
    const store = interrupted(pipeline.store, rows, () => pipeline.record(listed(2)));
    await recordEvents({ store, dirty, hints, specs, clock }, [deployed('c1')]);
    expect(await rowAt(belowCluster('c1'))).toBe('gone');
    expect(told()).toContain(`clusters/c1 ${BUNDLE_ROW}`);
  });

  it('becomes a tombstone also if a sweep did not find it, because its first event arrives after a later one', async () => {
    const first = deployed('c1');
    await pipeline.record(deployed('c1', [], false));
    await pipeline.record(listed(2));
    told();
    await pipeline.record(first);
    expect(await rowAt(belowCluster('c1'))).toBe('gone');
    expect(told()).toEqual([`bundles/web ${clusterRow('c1')}`, `clusters/c1 ${BUNDLE_ROW}`]);
  });

  it('does not bury what has been said since', async () => {
    await pipeline.record(listed(2));
    const namespace = deploymentsOf('c1');
    const object = deployment('web', 'c1');
    await pipeline.record(
      pipeline.event(FLEET_SOURCE, says('bundledeployments', 'web', { namespace, object }), 2),
    );
    expect(await rowAt(belowCluster('c1'))).toMatchObject({ cluster: `${NAMESPACE}/c1` });
  });

  it('is buried of a Cluster with when its agent last reported', async () => {
    const object = cluster('c1', LATELY);
    const late = pipeline.event(FLEET_SOURCE, says('clusters', 'c1', { object, ownedHash: 'f' }));
    await pipeline.record(listed(2));
    await pipeline.record(late);
    expect(await readContacts(pipeline.store, UPSTREAM)).toMatchObject([{ lastSeen: undefined }]);
  });

  it('is buried of another object too', async () => {
    const late = pipeline.event(
      FLEET_SOURCE,
      says('bundles', 'web', { object: { kind: 'Bundle' }, ownedHash: 'f' }),
    );
    await pipeline.record(listed(2));
    await pipeline.record(late);
    const key = { pk: subjectPartition(BUNDLE), sk: SORT.object };
    expect(await readObserved(pipeline.store, [key])).toMatchObject([{ content: undefined }]);
  });
});

describe('a Job', () => {
  const GIT_REPO = fleetObject('gitrepos', 'one');
  const job = (owners: readonly JsonObject[]): JsonObject => ({
    kind: 'Job',
    metadata: { name: 'j', namespace: NAMESPACE, ownerReferences: owners },
  });
  const OWNED = job([
    { kind: 'Other', name: 'two' },
    { kind: 'GitRepo', name: 'one' },
  ]);
  const shown = (object?: JsonObject) =>
    pipeline.event(FLEET_SOURCE, says('jobs', 'j', object === undefined ? {} : { object }));

  it('is below the GitRepo that owns it, which is notified, and is in no family', async () => {
    await pipeline.record(shown(OWNED));
    expect(await rowAt(jobKey(GIT_REPO, 'j'))).toEqual(OWNED);
    expect(await readNewestJob(pipeline.store, GIT_REPO)).toEqual(OWNED);
    expect(told()).toEqual(['gitrepos/one']);
  });

  it('that no GitRepo owns is stored nowhere and notifies no subject', async () => {
    await pipeline.record(shown(job([{ kind: 'CronJob', name: 'one' }])));
    expect(await readNewestJob(pipeline.store, GIT_REPO)).toBeUndefined();
    expect(told()).toEqual([]);
  });

  it('that is deleted is removed, and its GitRepo is notified', async () => {
    await pipeline.record(shown(OWNED));
    told();
    await pipeline.record(shown());
    expect(await readNewestJob(pipeline.store, GIT_REPO)).toBeNull();
    expect(told()).toEqual(['gitrepos/one']);
  });

  it('that is reported is known before it is stored: a reader between the two finds none', async () => {
    const jobs = { call: 'put', sk: 'JOB#', when: 'before' } as const;
    const found: unknown[] = [];
    const store = interrupted(pipeline.store, jobs, async () => {
      found.push(await readNewestJob(pipeline.store, GIT_REPO));
    });
    await recordEvents({ ...pipeline.aggregateDeps(), store }, [shown(OWNED)]);
    expect(found).toEqual([null]);
  });

  it('that is gone for so long that its tombstone is too leaves none, which is known', async () => {
    await pipeline.record(shown(OWNED));
    await pipeline.record(shown());
    await pipeline.store.delete([{ key: jobKey(GIT_REPO, 'j') }]);
    expect(await readNewestJob(pipeline.store, GIT_REPO)).toBeNull();
  });

  it('that its GitRepo owns no more is gone there', async () => {
    await pipeline.record(shown(OWNED));
    told();
    await pipeline.record(shown(job([])));
    expect(await readNewestJob(pipeline.store, GIT_REPO)).toBeNull();
    expect(told()).toEqual(['gitrepos/one']);
  });
});

describe('a Cluster', () => {
  const C1 = fleetObject('clusters', 'c1');
  const shown = (object: JsonObject | undefined, { first = false, ownedHash = 'f' } = {}) =>
    pipeline.event(
      FLEET_SOURCE,
      says('clusters', 'c1', object === undefined ? { first } : { first, object, ownedHash }),
    );
  const contact = async () => {
    const [item] = await pipeline.store.get([contactKey(UPSTREAM, `${NAMESPACE}/c1`)]);
    return item && (item.body === undefined ? 'gone' : bodyJson<JsonObject>(item));
  };
  const content = async (subject: FleetSubject) => {
    const key = { pk: subjectPartition(subject), sk: SORT.object };
    return (await readObserved(pipeline.store, [key]))[0]?.content;
  };

  it('has apart when its agent last reported, and of its content whether it ever has', async () => {
    await pipeline.record(shown(cluster('c1', LATELY)));
    expect(await contact()).toEqual({ lastSeen: LATELY });
    expect(await content(C1)).toMatchObject({ kind: 'Cluster', status: { reports: true } });
    await pipeline.record(shown(cluster('c1')));
    expect(await contact()).toEqual({ lastSeen: '' });
    expect(await content(C1)).toMatchObject({ status: { reports: false } });
  });

  it('whose agent reports again notifies no subject', async () => {
    await pipeline.record(shown(cluster('c1', LATELY)));
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    pipeline.takeDirty();
    await pipeline.record(shown(cluster('c1', LATER)));
    expect(await contact()).toEqual({ lastSeen: LATER });
    expect(told()).toEqual([]);
  });

  it('whose agent reports for the first time is reported', async () => {
    await pipeline.record(shown(cluster('c1')));
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    pipeline.takeDirty();
    await pipeline.record(shown(cluster('c1', LATELY)));
    expect(told()).toEqual(['clusters/c1']);
  });

  it('that is said to have reported earlier by an event that is late has reported later', async () => {
    const late = shown(cluster('c1', LATELY));
    await pipeline.record(shown(cluster('c1', LATER)));
    await pipeline.record(late);
    expect(await contact()).toEqual({ lastSeen: LATER });
  });

  it('that is deleted has no contact, nor does a late event give it one', async () => {
    const late = shown(cluster('c1', LATER));
    await pipeline.record(shown(cluster('c1', LATELY)), shown(undefined));
    await pipeline.record(late);
    expect(await contact()).toBe('gone');
    expect(await content(C1)).toBeUndefined();
  });

  it('alone has a contact: a Bundle has none, and keeps its content', async () => {
    const object = { kind: 'Bundle', status: { agent: { lastSeen: LATELY } } };
    await pipeline.record(pipeline.event(FLEET_SOURCE, says('bundles', 'web', { object })));
    expect(await pipeline.store.query({ pk: contactKey(UPSTREAM, '').pk })).toEqual({ items: [] });
    expect(await content(BUNDLE)).toEqual(object);
  });

  it('whose first event is late is reported: the notification of all known ones did not include it', async () => {
    const first = shown(cluster('c1', LATELY), { first: true });
    await pipeline.record(shown(cluster('c1', LATELY)));
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    pipeline.takeDirty();
    await pipeline.record(first);
    expect(told()).toEqual(['clusters/c1']);
    await pipeline.record(first);
    expect(told()).toEqual([]);
  });

  it('with another late event is not reported', async () => {
    const late = shown(cluster('c1', LATELY));
    await pipeline.record(shown(cluster('c1', LATELY)));
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    pipeline.takeDirty();
    await pipeline.record(late);
    expect(told()).toEqual([]);
  });
});
