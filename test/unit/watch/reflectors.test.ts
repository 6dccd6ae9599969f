import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { Resource, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { Reflectors } from '#shared/watch/reflectors.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

let time: VirtualTime;
/** The resources whose listing has started, in order. */
let listed: string[];
/** What the next listing of Deployments waits for. */
let answer: PromiseWithResolvers<void>;
let reflectors: Reflectors;

function slowDeployments(cluster: FakeCluster): ResourceApi {
  return {
    discover: () => cluster.discover(),
    watch: (...args) => cluster.watch(...args),
    list: async (resource, selection) => {
      listed.push(resource.resource);
      if (resource.resource === DEPLOYMENTS.resource) await answer.promise;
      return cluster.list(resource, selection);
    },
  };
}

beforeEach(() => {
  const cluster = new FakeCluster();
  for (const resource of [CONFIG_MAPS, SECRETS, DEPLOYMENTS])
    cluster.serve({ ...resource, kind: 'Any', namespaced: true, statusSubresource: true });
  time = new VirtualTime();
  listed = [];
  answer = Promise.withResolvers();
  const ignore = (): void => undefined;
  reflectors = new Reflectors(
    { api: slowDeployments(cluster), sleep: time.sleep, random: () => 0.5, onProgress: ignore },
    ignore,
  );
});

afterEach(async () => {
  answer.resolve();
  await reflectors.stop();
});

const ALL: readonly Resource[] = [CONFIG_MAPS, DEPLOYMENTS, SECRETS];

it('lists kinds without a status after the others', async () => {
  reflectors.followExactly(ALL);
  await time.settle();
  expect(listed).toEqual(['deployments']);
  answer.resolve();
  await time.settle();
  expect(listed).toEqual(['deployments', 'configmaps', 'secrets']);
  expect(reflectors.synced()).toBe(true);
});

it('does not let a listing that fails delay kinds without a status', async () => {
  answer.reject(new ApiUnavailableError('list deployments', 'down'));
  reflectors.followExactly(ALL);
  await time.settle();
  expect(listed).toEqual(['deployments', 'configmaps', 'secrets']);
});

it('lists kinds without a status when the others are no longer followed', async () => {
  reflectors.followExactly(ALL);
  await time.settle();
  reflectors.unfollow(DEPLOYMENTS);
  answer.resolve();
  await time.settle();
  expect(listed).toEqual(['deployments', 'configmaps', 'secrets']);
});

it('stops a kind without a status whose turn has not come', async () => {
  reflectors.followExactly(ALL);
  await time.settle();
  answer.resolve();
  await reflectors.stop();
  expect(listed).not.toContain('secrets');
});
