import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { ApiForbiddenError, ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import type { Selection } from '#shared/ports/kubernetes-api.ts';
import { type OneFollower, oneFollower } from '#shared/watch/one-follower.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { Reflector } from '#shared/watch/reflector.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const DOWN = new ApiUnavailableError('watch pods', 'reset');
const MINUTE_MS = 60_000;

function pod(name: string, rest: JsonObject = {}): JsonObject {
  return { kind: 'Pod', metadata: { namespace: 'default', name, ...rest } };
}

let cluster: FakeCluster;
let time: VirtualTime;
let follower: OneFollower;

/** Somebody who follows pods. */
class Reading {
  readonly told: string[] = [];
  readonly objects: JsonObject[] = [];
  readonly reflector: Reflector;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  onTold: (reflection: Reflection) => void = () => undefined;

  constructor(selection: Selection = {}) {
    this.reflector = new Reflector(
      follower.api,
      { sleep: time.sleep, random: () => 0.5 },
      {
        resource: PODS,
        selection,
        onState: () => undefined,
        onReflection: (reflection) => {
          this.told.push(
            reflection.type === 'synced'
              ? 'synced'
              : `${reflection.type} ${reflection.key.slice(8)}${'relisted' in reflection && reflection.relisted ? ' relisted' : ''}`,
          );
          if ('object' in reflection) this.objects.push(reflection.object);
          this.onTold(reflection);
        },
      },
    );
    this.#ended = this.reflector.run(this.#stopping.signal);
  }

  /** What was told since the last call, after so much more time. */
  async heard(ms = 0): Promise<readonly string[]> {
    await time.advance(ms);
    return this.told.splice(0);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }
}

let readings: Reading[];

function read(selection?: Selection): Reading {
  const reading = new Reading(selection);
  readings.push(reading);
  return reading;
}

/** What the cluster was asked since the last call. */
function asked(): readonly string[] {
  return cluster.calls.splice(0);
}

beforeEach(() => {
  cluster = new FakeCluster();
  cluster.serve({ ...PODS, kind: 'Pod', namespaced: true, statusSubresource: true });
  cluster.put(PODS, pod('a'));
  time = new VirtualTime();
  follower = oneFollower({ api: cluster, now: time.clock, sleep: time.sleep });
  readings = [];
});

afterEach(async () => {
  await Promise.all(readings.map((reading) => reading.stop()));
  await follower.stop();
});

describe('several readers of one resource', () => {
  it('cause one list and one watch, whether they come together or late', async () => {
    const [first, second] = [read(), read()];
    expect(await first.heard()).toEqual(['added a', 'synced']);
    expect(await second.heard()).toEqual(['added a', 'synced']);
    cluster.put(PODS, pod('b'));
    const third = read();
    expect(await third.heard(10 * MINUTE_MS)).toEqual(['added a', 'added b', 'synced']);
    expect(asked()).toEqual(['list /pods', 'watch /pods']);
    cluster.remove(PODS, 'default/a');
    expect(await first.heard()).toEqual(['added b', 'deleted a']);
    expect(await second.heard()).toEqual(['added b', 'deleted a']);
    expect(await third.heard()).toEqual(['deleted a']);
    expect(cluster.watching()).toEqual(['/pods']);
  });

  it('are given the same objects, and no copies', async () => {
    const [first, second] = [read(), read()];
    await time.settle();
    const late = read();
    cluster.put(PODS, pod('b'));
    await time.settle();
    expect(first.objects.map((object) => second.objects.includes(object))).toEqual([true, true]);
    expect(first.objects.map((object) => late.objects.includes(object))).toEqual([true, true]);
  });

  it('have a watch for each selection and each version', async () => {
    cluster.serve({
      ...{ ...PODS, kind: 'Pod', namespaced: true, statusSubresource: true },
      otherVersions: ['v2'],
    });
    read();
    read({ labelSelector: 'app=web' });
    read({ metadataOnly: true });
    await time.settle();
    const newer = follower.api.list({ ...PODS, version: 'v2' }, {});
    expect((await newer).items).toHaveLength(1);
    expect(asked().filter((call) => call.startsWith('list'))).toHaveLength(4);
    expect(cluster.watching()).toHaveLength(3);
  });

  it('continue when another one relists, which is answered from memory while the watch is open', async () => {
    const [first, second] = [read(), read()];
    await time.settle();
    asked();
    await first.heard();
    await second.heard();
    first.reflector.relist();
    expect(first.reflector.state.synced).toBe(false);
    expect(await first.heard()).toEqual(['modified a relisted', 'synced']);
    expect(await second.heard()).toEqual([]);
    expect(second.reflector.state).toMatchObject({ synced: true, listings: 1 });
    expect(asked()).toEqual([]);
  });

  it('continue if another one throws, and only that one retries', async () => {
    const [bad, good] = [read(), read()];
    await time.settle();
    await good.heard();
    bad.onTold = () => {
      bad.onTold = () => undefined;
      throw new Error('cannot take it');
    };
    cluster.put(PODS, pod('b'));
    expect(await good.heard()).toEqual(['added b']);
    expect(bad.reflector.state).toMatchObject({ phase: 'waiting', error: 'cannot take it' });
    cluster.put(PODS, pod('c'));
    expect(await good.heard(MINUTE_MS)).toEqual(['added c']);
    expect(bad.told).toContain('added c');
    expect(asked()).toEqual(['list /pods', 'watch /pods']);
  });

  it('do not wait for one that has many objects to take', async () => {
    for (let n = 0; n < 2000; n += 1) cluster.put(PODS, pod(`n${n}`));
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) await time.settle();
    };
    const first = read();
    await turns();
    expect(await first.heard()).toHaveLength(2001 + 1);
    const late = read();
    late.onTold = () => {
      // In the middle of the list, something changes.
      if (late.told.length === 600) cluster.put(PODS, pod('a', { labels: { x: 'y' } }));
    };
    await turns();
    expect(first.told).toEqual(['modified a']);
    expect(late.told.slice(-2)).toEqual(['synced', 'modified a']);
    expect(late.told).toHaveLength(2001 + 2);
  });

  it('that is stopped by another one, told of the same change, hears nothing of it', async () => {
    const [first, second] = [read(), read()];
    await time.settle();
    first.onTold = () => void second.stop();
    await second.heard();
    cluster.put(PODS, pod('b'));
    expect(await second.heard()).toEqual([]);
  });
});

describe('a watch that several read', () => {
  it('fails for each of them, which continue without a new list', async () => {
    const [first, second] = [read(), read()];
    await time.settle();
    await first.heard();
    await second.heard();
    asked();
    cluster.disconnect(DOWN);
    await time.settle();
    for (const { reflector } of [first, second])
      expect(reflector.state).toMatchObject({
        phase: 'waiting',
        synced: true,
        error: DOWN.message,
      });
    cluster.put(PODS, pod('b'));
    expect(await first.heard(MINUTE_MS)).toEqual(['added b']);
    expect(await second.heard()).toEqual(['added b']);
    expect(asked()).toEqual(['watch /pods']);
    expect(cluster.watching()).toEqual(['/pods']);
  });

  it('gives a reader that returns later what it has missed, even if its watch ended normally', async () => {
    const [first, second] = [read(), read()];
    await time.settle();
    await first.heard();
    await second.heard();
    cluster.put(PODS, pod('b'));
    const late = read();
    await time.settle();
    await late.heard();
    asked();
    // Two have heard something in this watch and come back at once, the third waits for a moment.
    cluster.disconnect();
    await time.settle();
    cluster.put(PODS, pod('c'));
    cluster.remove(PODS, 'default/a');
    expect(await late.heard()).toEqual([]);
    expect(await late.heard(1000)).toEqual(['added c', 'deleted a']);
    expect(asked()).toEqual(['watch /pods']);
  });

  it('that is too old is listed again once, and given to each of them as a relist', async () => {
    const [first, second] = [read(), read()];
    await time.settle();
    await first.heard();
    await second.heard();
    asked();
    cluster.disconnect(new ResourceExpiredError('watch pods'));
    const relisted = ['modified a relisted', 'synced'];
    expect(await first.heard(MINUTE_MS)).toEqual(relisted);
    expect(await second.heard()).toEqual(relisted);
    expect(asked()).toEqual(['list /pods', 'watch /pods']);
  });

  it('that a server with another history rejects is listed again by all', async () => {
    const [first, second] = [read(), read()];
    await time.settle();
    cluster.disconnect(DOWN);
    cluster.put(PODS, pod('b'));
    cluster.compact();
    await first.heard();
    await second.heard();
    expect(await first.heard(MINUTE_MS)).toEqual([
      'modified a relisted',
      'added b relisted',
      'synced',
    ]);
    expect(await second.heard()).toEqual(['modified a relisted', 'added b relisted', 'synced']);
  });

  it('answers nothing from memory while it is broken: the server is asked', async () => {
    const first = read();
    await time.settle();
    cluster.refuse(PODS, new ApiForbiddenError('watch pods', 'RBAC'));
    await time.settle();
    const late = read();
    expect(await late.heard(MINUTE_MS)).toEqual([]);
    expect(late.reflector.state).toMatchObject({ phase: 'waiting', synced: false });
    cluster.refuse(PODS, undefined);
    expect(await late.heard(MINUTE_MS)).toEqual(['added a', 'synced']);
    expect(await first.heard()).toContain('synced');
    expect(cluster.watching()).toEqual(['/pods']);
  });

  it('opens while somebody lists, who then sees what it has changed', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const list = cluster.list.bind(cluster);
    const first = read();
    await time.settle();
    cluster.list = async (resource, selection) => {
      const listed = await list(resource, selection);
      await held;
      return listed;
    };
    cluster.disconnect(DOWN);
    await time.settle();
    const late = read();
    await first.heard(MINUTE_MS);
    cluster.put(PODS, pod('b'));
    expect(await first.heard()).toEqual(['added b']);
    release();
    expect(await late.heard()).toEqual(['added a', 'added b', 'synced']);
    expect(cluster.watching()).toEqual(['/pods']);
  });
});

describe('a resource that nobody reads anymore', () => {
  it('is watched for some minutes more, and listed once by who returns in the meantime', async () => {
    const first = read();
    await time.settle();
    await first.stop();
    await time.advance(4 * MINUTE_MS);
    expect(cluster.watching()).toEqual(['/pods']);
    const second = read();
    expect(await second.heard(10 * MINUTE_MS)).toEqual(['added a', 'synced']);
    expect(asked()).toEqual(['list /pods', 'watch /pods']);
    expect(cluster.watching()).toEqual(['/pods']);
  });

  it('is neither watched nor held after that', async () => {
    const first = read();
    await time.settle();
    await first.stop();
    await time.advance(5 * MINUTE_MS);
    expect(cluster.watching()).toEqual([]);
    cluster.put(PODS, pod('b'));
    const second = read();
    expect(await second.heard()).toEqual(['added a', 'added b', 'synced']);
    expect(asked()).toEqual(['list /pods', 'watch /pods', 'list /pods', 'watch /pods']);
  });
});

describe('a reader that stops', () => {
  it('while it waits for a list leaves the others theirs', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const list = cluster.list.bind(cluster);
    cluster.list = async (resource, selection) => {
      await held;
      return list(resource, selection);
    };
    const [first, second] = [read(), read()];
    await time.settle();
    await first.stop();
    release();
    expect(await second.heard()).toEqual(['added a', 'synced']);
    expect(await first.heard()).toEqual([]);
    expect(asked()).toEqual(['list /pods', 'watch /pods']);
  });

  it('before its watch begins hears nothing, and neither does one that begins from nowhere', async () => {
    const stopped = AbortSignal.abort();
    const onEvent = (): void => expect.fail('told');
    const { resourceVersion } = await follower.api.list(PODS, {});
    await follower.api.watch(PODS, { resourceVersion, onEvent }, stopped);
    await expect(
      follower.api.watch(PODS, { resourceVersion: '1', onEvent }, stopped),
    ).rejects.toThrow('too old: watch pods/v1');
  });
});

it('a follower that stops ends all watches, and their readers learn it', async () => {
  const { resourceVersion } = await follower.api.list(PODS, {});
  const watching = follower.api.watch(PODS, { resourceVersion, onEvent: () => undefined });
  await time.settle();
  await follower.stop();
  await watching;
  expect(cluster.watching()).toEqual([]);
});
