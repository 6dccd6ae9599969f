import { describe, expect, it } from 'vitest';
import { followBoundResources } from '#local/stack/bound-resources.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const BINDINGS = { group: 'control.kubestellar.io', version: 'v1alpha1', resource: 'bindings' };

function binding(name: string, ...resources: readonly string[]): JsonObject {
  const clusterScope = resources.map((resource) => ({
    group: 'g',
    version: 'v1',
    resource,
    name: 'x',
  }));
  return { kind: 'Binding', metadata: { name }, spec: { workload: { clusterScope } } };
}

function follow() {
  const cluster = new FakeCluster();
  cluster.serve({ ...BINDINGS, kind: 'Binding', namespaced: false, statusSubresource: true });
  const time = new VirtualTime();
  const told: string[] = [];
  const start = () =>
    followBoundResources(cluster, {
      sleep: time.sleep,
      random: () => 0,
      onChange: (resources) =>
        void told.push(resources.map((r) => `${r.group}/${r.version}/${r.resource}`).join(' ')),
    });
  return { cluster, time, told, start };
}

describe('followBoundResources', () => {
  it('tells what all Bindings name once they are listed, each resource once, in order', async () => {
    const { cluster, time, told, start } = follow();
    cluster.put(BINDINGS, binding('a', 'things', 'others'));
    cluster.put(BINDINGS, binding('b', 'things'));
    const following = start();
    await time.settle();
    expect(told).toEqual(['g/v1/others g/v1/things']);
    await following.stop();
  });

  it('tells that there is nothing where no Binding stands', async () => {
    const { time, told, start } = follow();
    const following = start();
    await time.settle();
    expect(told).toEqual(['']);
    await following.stop();
  });

  it('tells again when that changes, and only then', async () => {
    const { cluster, time, told, start } = follow();
    const following = start();
    await time.settle();
    cluster.put(BINDINGS, binding('a', 'things'));
    cluster.put(BINDINGS, binding('b', 'things'));
    cluster.remove(BINDINGS, '/a');
    cluster.put(BINDINGS, binding('b', 'others'));
    cluster.remove(BINDINGS, '/b');
    await time.settle();
    expect(told).toEqual(['', 'g/v1/things', 'g/v1/others', '']);
    await following.stop();
  });

  it('is silent after it was stopped', async () => {
    const { cluster, time, told, start } = follow();
    const following = start();
    await time.settle();
    await following.stop();
    cluster.put(BINDINGS, binding('a', 'things'));
    await time.settle();
    expect(told).toEqual(['']);
  });
});
