import { beforeEach, expect, it } from 'vitest';
import { ServedResources } from '#functions/event-forwarder/program/served-resources.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';

const { signal } = new AbortController();

let cluster: FakeCluster;
let served: ServedResources;

beforeEach(() => {
  cluster = new FakeCluster();
  const common = { namespaced: true, statusSubresource: true, version: 'v1' };
  cluster.serve({ ...common, group: 'apps', resource: 'deployments', kind: 'Deployment' });
  cluster.serve({ ...common, group: '', resource: 'services', kind: 'Service' });
  served = new ServedResources(cluster);
});

it('a cluster is asked once for what it serves', async () => {
  await new Promise<void>((resolve) => served.ask(signal, resolve));
  expect(served.names()).toEqual(['deployments.apps/v1', 'services/v1']);
  expect(served.isAsking()).toBe(false);
  served.ask(signal, () => {
    throw new Error('asked again');
  });
  expect(cluster.calls).toEqual(['discover']);
});

it('nothing is known of a cluster until it answers, nor of one that does not', async () => {
  cluster.failure = new Error('down');
  const answered = new Promise<void>((resolve) => served.ask(signal, resolve));
  expect([served.isAsking(), served.names()]).toEqual([true, []]);
  await answered;
  expect([served.isAsking(), served.names()]).toEqual([false, []]);
});
