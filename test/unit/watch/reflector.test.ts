import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import {
  ApiForbiddenError,
  ApiInvalidError,
  ApiUnavailableError,
  ResourceExpiredError,
} from '#shared/errors.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import { Reflector } from '#shared/watch/reflector.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const SERVED = { ...DEPLOYMENTS, kind: 'Deployment', namespaced: true, statusSubresource: true };

function object(name: string): JsonObject {
  return { kind: 'Deployment', metadata: { namespace: 'default', name } };
}

let cluster: FakeCluster;
let time: VirtualTime;
let told: string[];
let states: ReflectorState[];
let stopping: AbortController;
let ended: Promise<void>;
let reflector: Reflector;

function start(): void {
  reflector = new Reflector(
    cluster,
    { sleep: time.sleep, random: () => 0.5 },
    {
      resource: DEPLOYMENTS,
      selection: {},
      onReflection: (reflection) => {
        if (reflection.type === 'synced') told.push('synced');
        else told.push(`${reflection.type} ${reflection.key}`);
      },
      onState: (state) => states.push(state),
    },
  );
  ended = reflector.run(stopping.signal);
}

function listings(): number {
  return cluster.calls.filter((call) => call.startsWith('list')).length;
}

beforeEach(() => {
  cluster = new FakeCluster();
  cluster.serve(SERVED);
  time = new VirtualTime();
  told = [];
  states = [];
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort();
  await ended;
});

it('lists, then follows changes', async () => {
  cluster.put(DEPLOYMENTS, object('a'));
  start();
  await time.settle();
  cluster.put(DEPLOYMENTS, object('b'));
  cluster.put(DEPLOYMENTS, object('a'));
  cluster.remove(DEPLOYMENTS, 'default/a');
  expect(told).toEqual([
    'added default/a',
    'synced',
    'added default/b',
    'modified default/a',
    'deleted default/a',
  ]);
  expect(reflector.state).toEqual({
    phase: 'watching',
    synced: true,
    listings: 1,
    watches: 1,
    failures: 0,
  });
});

it('watches on from the last change after a watch has ended', async () => {
  start();
  await time.settle();
  cluster.put(DEPLOYMENTS, object('a'));
  cluster.disconnect();
  cluster.put(DEPLOYMENTS, object('b'));
  await time.advance(1000);
  expect(told).toEqual(['synced', 'added default/a', 'added default/b']);
  expect(listings()).toBe(1);
});

it('watches on from the last bookmark, which may be all that is not too old', async () => {
  start();
  await time.settle();
  cluster.put({ ...DEPLOYMENTS }, object('a'));
  cluster.remove(DEPLOYMENTS, 'default/a');
  cluster.bookmark();
  cluster.compact();
  cluster.disconnect();
  await time.advance(1000);
  expect(listings()).toBe(1);
});

it.each([
  ['too old', new ResourceExpiredError('watch')],
  ['refused as invalid', new ApiInvalidError('watch', 'invalid resource version')],
])(
  'lists again when its version is %s, and reports what has gone in the meantime',
  async (_case, error) => {
    cluster.put(DEPLOYMENTS, object('a'));
    cluster.put(DEPLOYMENTS, object('b'));
    start();
    await time.settle();
    told.length = 0;
    cluster.disconnect(error);
    cluster.remove(DEPLOYMENTS, 'default/a');
    await time.advance(1000);
    expect(told).toEqual(['modified default/b', 'deleted default/a', 'synced']);
    expect(reflector.state.synced).toBe(true);
  },
);

it('says that it is not synced from a version that is too old to the next listing', async () => {
  start();
  await time.settle();
  cluster.failure = new ApiUnavailableError('list', 'refused');
  cluster.disconnect(new ResourceExpiredError('watch'));
  await time.advance(1000);
  expect(reflector.state).toMatchObject({ phase: 'waiting', synced: false });
});

it('keeps trying when the cluster is down from the start, and says why it waits', async () => {
  cluster.failure = new ApiForbiddenError('list deployments', 'expired token');
  start();
  await time.advance(10 * 60_000);
  expect(told).toEqual([]);
  expect(reflector.state).toEqual({
    phase: 'waiting',
    synced: false,
    error: 'API server denies: list deployments: expired token',
    listings: 0,
    watches: 0,
    failures: listings(),
  });
  // Waiting doubles up to 30 s: not more than some thirty tries in ten minutes.
  expect(listings()).toBeGreaterThan(15);
  expect(listings()).toBeLessThan(40);
  cluster.failure = undefined;
  await time.advance(30_000);
  expect(told).toEqual(['synced']);
});

it('stays synced and lists no more than needed while a watch cannot be had', async () => {
  start();
  await time.settle();
  cluster.failure = new ApiUnavailableError('watch', 'refused');
  cluster.disconnect(cluster.failure);
  await time.advance(5000);
  expect(reflector.state).toMatchObject({ phase: 'waiting', synced: true });
  cluster.failure = undefined;
  await time.advance(30_000);
  expect(listings()).toBe(1);
  expect(reflector.state.phase).toBe('watching');
});

it('lists again after many watches that failed: a restored server rejects newer versions forever', async () => {
  start();
  await time.settle();
  cluster.failure = new ApiUnavailableError('watch', 'Too large resource version');
  cluster.disconnect(cluster.failure);
  await time.advance(10 * 60_000);
  cluster.failure = undefined;
  await time.advance(30_000);
  expect(told).toEqual(['synced', 'synced']);
});

it('waits as long as the server asks', async () => {
  cluster.failure = new ApiUnavailableError('list', 'busy', { retryAfterSeconds: 90 });
  start();
  await time.advance(89_000);
  expect(listings()).toBe(1);
  await time.advance(2000);
  expect(listings()).toBe(2);
});

it('takes a resource that is not served for one without objects, and finds it when it comes', async () => {
  cluster.unserve(DEPLOYMENTS);
  start();
  await time.advance(60_000);
  expect(told).toEqual(['synced']);
  expect(reflector.state).toMatchObject({ phase: 'not-served', synced: true });
  cluster.serve(SERVED);
  cluster.put(DEPLOYMENTS, object('a'));
  await time.advance(60_000);
  expect(told).toEqual(['synced', 'added default/a', 'synced']);
});

it('keeps in mind that a resource is not served while the server does not answer, until it is listed', async () => {
  cluster.unserve(DEPLOYMENTS);
  start();
  await time.settle();
  cluster.failure = new ApiUnavailableError('list', 'down');
  await time.advance(60_000);
  expect(reflector.state).toMatchObject({ phase: 'waiting', synced: true, unserved: true });
  cluster.failure = undefined;
  cluster.serve(SERVED);
  await time.advance(60_000);
  expect(reflector.state).toMatchObject({ phase: 'watching', synced: true });
  expect(reflector.state.unserved).toBeUndefined();
});

it('does not consider an object deleted if another version is served, and is incomplete until its own version is', async () => {
  cluster.put(DEPLOYMENTS, object('a'));
  start();
  await time.advance(1000);
  cluster.serve({ ...SERVED, version: 'v2' });
  cluster.disconnect();
  await time.advance(60_000);
  expect(told).toEqual(['added default/a', 'synced']);
  expect(reflector.state).toMatchObject({ phase: 'not-served', synced: false });
  expect(reflector.state.unserved).toBeUndefined();
  cluster.serve({ ...SERVED, version: 'v2', otherVersions: ['v1'] });
  await time.advance(60_000);
  expect(told).toEqual(['added default/a', 'synced', 'modified default/a', 'synced']);
  expect(reflector.state).toMatchObject({ phase: 'watching', synced: true });
});

it('reports the objects of a resource that is no longer served as deleted', async () => {
  cluster.put(DEPLOYMENTS, object('a'));
  start();
  await time.settle();
  told.length = 0;
  cluster.unserve(DEPLOYMENTS);
  await time.advance(60_000);
  expect(told).toEqual(['deleted default/a', 'synced']);
});

it('does not ask in a tight loop when a server ends each watch at once', async () => {
  cluster.watch = async () => {
    cluster.calls.push('watch');
  };
  start();
  await time.advance(10_000);
  expect(cluster.calls.length).toBeLessThan(100);
});
