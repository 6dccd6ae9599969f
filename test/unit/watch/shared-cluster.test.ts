import { beforeEach, describe, expect, it } from 'vitest';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { Discovery, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { sharedCluster } from '#shared/watch/shared-cluster.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';

let now: number;
let cluster: FakeCluster;
let shared: ResourceApi;

beforeEach(() => {
  now = 0;
  cluster = new FakeCluster();
  shared = sharedCluster(cluster, () => now);
});

describe('discovery of a cluster that is shared', () => {
  it('is asked once by all who ask at the same time or within a second', async () => {
    await Promise.all([shared.discover(), shared.discover()]);
    now = 999;
    await shared.discover();
    expect(cluster.calls).toEqual(['discover']);
    now = 1000;
    await shared.discover();
    expect(cluster.calls).toEqual(['discover', 'discover']);
  });

  it('that fails fails for all who asked, and is asked again by the next', async () => {
    cluster.failure = new ApiUnavailableError('discover', 'down');
    const asked = [shared.discover(), shared.discover()];
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
    cluster.failure = undefined;
    expect(await shared.discover()).toEqual({ resources: [], unanswered: [] });
    expect(cluster.calls).toHaveLength(2);
  });

  it('is asked again if the first reader was stopped', async () => {
    const stopping = new AbortController();
    const discover = cluster.discover.bind(cluster);
    cluster.discover = (signal?: AbortSignal): Promise<Discovery> =>
      signal === undefined
        ? discover()
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const stopped = shared.discover(stopping.signal);
    const other = shared.discover();
    stopping.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    expect(await other).toEqual({ resources: [], unanswered: [] });
  });
});

it('8 resources of a cluster are listed at a time', async () => {
  let listing = 0;
  let most = 0;
  cluster.list = async () => {
    listing += 1;
    most = Math.max(most, listing);
    await new Promise((resolve) => setImmediate(resolve));
    listing -= 1;
    return { resourceVersion: '1', items: [] };
  };
  const resources = Array.from({ length: 30 }, (_, index) => ({
    group: 'g',
    version: 'v1',
    resource: `r${index}`,
  }));
  await Promise.all(resources.map((resource) => shared.list(resource, {})));
  expect(most).toBe(8);
});
