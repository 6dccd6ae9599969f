import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { originOfWork } from '#functions/event-forwarder/work-origin.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { anObject, ForwarderBench } from './forwarder-bench.ts';

const WORKS = {
  group: 'work.open-cluster-management.io',
  version: 'v1',
  resource: 'appliedmanifestworks',
};
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const UID = '0b96a3f0-3c7f-4d4e-9a55-0123456789ab';
const OTHER_UID = '5d1f0c1e-7b52-4c55-8f0e-aaaaaaaaaaaa';
const OF_WDS1 = `${UID}-wds1-${UID}`;
const SOURCE = { type: 'wec', name: 'edge-1', appliedManifestWorks: true } as const;

let bench: ForwarderBench;

beforeEach(() => {
  bench = new ForwarderBench();
  bench.serve(WORKS, DEPLOYMENTS, SECRETS);
});

afterEach(async () => {
  await bench.stop();
});

function putWork(uid: string, manifestWorkName: string, ...applied: readonly Resource[]): void {
  const appliedResources = applied.map((resource) => ({ ...resource, name: 'x' }));
  bench.cluster.put(WORKS, {
    kind: 'AppliedManifestWork',
    metadata: { name: `hub-${uid}`, uid },
    spec: { manifestWorkName },
    status: { appliedResources },
  });
}

function owned(name: string, ...uids: readonly string[]): JsonObject {
  const ownerReferences = uids.map((uid) => ({
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'AppliedManifestWork',
    name: `hub-${uid}`,
    uid,
  }));
  const object = anObject(name);
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), ownerReferences } };
}

/** What was told of the sources of an object, by WDS. */
function sources(name: string): readonly (readonly [wds: string, uid: string | undefined])[] {
  return bench.queue
    .events()
    .flatMap(({ content }) =>
      content.type === 'wec-object' && content.subject.name === name
        ? [[content.wds, content.returned?.sourceUid] as const]
        : [],
    );
}

/** The WDSes for which something was told, with what. */
function wdses(): readonly string[] {
  return bench.queue
    .events()
    .flatMap(({ content }) =>
      content.type === 'wec-object'
        ? `${content.wds} ${content.subject.name}${content.returned === undefined ? '-' : ''}`
        : [],
    );
}

describe('the name of a ManifestWork', () => {
  it.each([
    [OF_WDS1, { wds: 'wds1', uid: UID }],
    [`${UID}-my-wds-2-${OTHER_UID}`, { wds: 'my-wds-2', uid: OTHER_UID }],
    [`${UID}-${UID}-${UID}`, { wds: UID, uid: UID }],
    [`${UID}--${UID}`, undefined],
    [`${UID}-wds1`, undefined],
    [`x${UID}-wds1-${UID}`, undefined],
    ['nginx', undefined],
    ['', undefined],
  ])('%s names the WDS that it came from: %o', (name, origin) => {
    expect(originOfWork(name)).toEqual(origin);
  });
});

describe('a forwarder of what AppliedManifestWorks own', () => {
  it('follows the resources that they have applied, for as long as one of them has, and no other', async () => {
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w1'));
    bench.cluster.put(DEPLOYMENTS, anObject('other'));
    bench.cluster.put(SECRETS, owned('key', 'w1'));
    bench.start(SOURCE);
    expect(await bench.said()).toEqual(['edge-1 snapshot']);
    putWork('w1', OF_WDS1, DEPLOYMENTS, SECRETS);
    expect(await bench.said()).toEqual(['edge-1 deployments/web!']);
    expect(bench.followed()).toEqual([
      'appliedmanifestworks.work.open-cluster-management.io/v1',
      'deployments.apps/v1',
    ]);
    expect(bench.cluster.calls).not.toContain('list /secrets');
    putWork('w1', OF_WDS1);
    expect(await bench.said()).toEqual(['edge-1 deployments/web-']);
    expect(bench.followed()).toHaveLength(1);
  });

  it('ends the first snapshot only when everything that they own has been reported', async () => {
    putWork('w1', OF_WDS1, DEPLOYMENTS);
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w1'));
    bench.start(SOURCE);
    expect(await bench.said()).toEqual(['edge-1 deployments/web!', 'edge-1 snapshot']);
  });

  it('reports an object for each WDS whose works own it, and when it changes hands', async () => {
    putWork('w1', OF_WDS1, DEPLOYMENTS);
    putWork('w2', `${UID}-wds2-${UID}`, DEPLOYMENTS);
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w1', 'w2'));
    bench.start(SOURCE);
    await bench.time.advance(1000);
    expect(wdses()).toEqual(['wds1 web', 'wds2 web']);
    bench.queue.bodies.length = 0;
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w2'));
    await bench.time.advance(1000);
    expect(wdses()).toEqual(['wds1 web-']);
    bench.queue.bodies.length = 0;
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w1'));
    await bench.time.advance(1000);
    expect(wdses().toSorted()).toEqual(['wds1 web', 'wds2 web-']);
  });

  it('reports the object of the WDS that it was made from; of several works that own it, the first decides', async () => {
    putWork('w1', OF_WDS1, DEPLOYMENTS);
    putWork('w2', `${UID}-wds1-${OTHER_UID}`, DEPLOYMENTS);
    putWork('w3', `${UID}-wds2-${OTHER_UID}`, DEPLOYMENTS);
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w1', 'w2', 'w3'));
    bench.start(SOURCE);
    await bench.time.advance(1000);
    expect(sources('web')).toEqual([
      ['wds1', UID],
      ['wds2', OTHER_UID],
    ]);
    bench.queue.bodies.length = 0;
    // Only the owner has changed.
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w2', 'w3'));
    await bench.time.advance(1000);
    expect(sources('web')).toEqual([['wds1', OTHER_UID]]);
  });

  it('believes an annotation more than the name of a work', async () => {
    putWork('w1', OF_WDS1, DEPLOYMENTS);
    const web = owned('web', 'w1');
    const annotations = { 'starfold.dev/source-uid': 'annotated' };
    bench.cluster.put(DEPLOYMENTS, {
      ...web,
      metadata: { ...(web['metadata'] as JsonObject), annotations },
    });
    bench.start(SOURCE);
    await bench.time.advance(1000);
    expect(sources('web')).toEqual([['wds1', 'annotated']]);
  });

  it('reports an object as soon as the work that owns it is known', async () => {
    putWork('w1', OF_WDS1, DEPLOYMENTS);
    bench.start(SOURCE);
    await bench.said();
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w2'));
    bench.cluster.put(DEPLOYMENTS, owned('api', 'w2'));
    bench.cluster.remove(DEPLOYMENTS, 'default/api');
    expect(await bench.said(60_000)).toEqual([]);
    putWork('w2', OF_WDS1);
    expect(await bench.said()).toEqual(['edge-1 deployments/web!']);
  });

  it('names works whose name does not contain the WDS, as long as they exist, and the remedy', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      putWork(name, `work-${name}`, DEPLOYMENTS);
    bench.cluster.put(DEPLOYMENTS, owned('web', 'a'));
    bench.start(SOURCE);
    expect(await bench.said()).toEqual(['edge-1 snapshot']);
    expect(bench.state.problems).toHaveLength(6);
    expect(bench.state.problems[0]).toContain('ManifestWork work-a');
    expect(bench.state.problems[0]).toContain('set source.wds');
    expect(bench.state.problems[5]).toBe('and 2 more ManifestWorks');
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      bench.cluster.remove(WORKS, `/hub-${name}`);
    await bench.said();
    expect(bench.state.problems).toEqual([]);
  });

  it('reports immediately that there are such works, and that there are no more', async () => {
    const problems: number[] = [];
    bench.start(SOURCE, { onState: (state) => problems.push(state.problems.length) });
    await bench.said();
    problems.length = 0;
    putWork('a', 'work-a');
    await bench.said(0);
    expect(problems).toEqual([1]);
    bench.cluster.remove(WORKS, '/hub-a');
    await bench.said(0);
    expect(problems).toEqual([1, 0]);
  });

  it('says nothing of its own state for a work with resources that others have, too', async () => {
    let states = 0;
    const onState = (): void => {
      states += 1;
    };
    putWork('w0', OF_WDS1, DEPLOYMENTS);
    bench.start(SOURCE, { onState });
    await bench.said();
    states = 0;
    for (let work = 1; work <= 50; work += 1) putWork(`w${work}`, OF_WDS1, DEPLOYMENTS);
    bench.cluster.remove(WORKS, '/hub-w0');
    await bench.said(0);
    expect(states).toBe(0);
    expect(bench.followed()).toContain('deployments.apps/v1');
    for (let work = 1; work <= 50; work += 1) bench.cluster.remove(WORKS, `/hub-w${work}`);
    await bench.said(0);
    expect(bench.followed()).not.toContain('deployments.apps/v1');
  });

  it('reports these for the configured WDS', async () => {
    putWork('w1', 'nginx', DEPLOYMENTS);
    putWork('w2', `${UID}-wds2-${UID}`, DEPLOYMENTS);
    bench.cluster.put(DEPLOYMENTS, owned('web', 'w1'));
    bench.cluster.put(DEPLOYMENTS, owned('api', 'w2'));
    bench.start({ ...SOURCE, wds: 'wds9' });
    await bench.time.advance(1000);
    expect(wdses()).toEqual(['wds9 web', 'wds2 api']);
    expect([...sources('web'), ...sources('api')]).toEqual([
      ['wds9', undefined],
      ['wds2', UID],
    ]);
    expect(bench.state.problems).toEqual([]);
  });
});
