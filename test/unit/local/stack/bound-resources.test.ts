import { describe, expect, it } from 'vitest';
import { followBoundResources } from '#local/stack/bound-resources.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const BINDINGS = { group: 'control.kubestellar.io', version: 'v1alpha1', resource: 'bindings' };

function binding(name: string, year: number, ...resources: readonly string[]): JsonObject {
  const clusterScope = resources.map((resource, index) => ({
    group: 'g',
    version: 'v1',
    resource,
    name: `x${index}`,
  }));
  const metadata = { name, creationTimestamp: `${year}-01-01T00:00:00Z` };
  return { kind: 'Binding', metadata, spec: { workload: { clusterScope } } };
}

function follow() {
  const cluster = new FakeCluster();
  cluster.serve({ ...BINDINGS, kind: 'Binding', namespaced: false, statusSubresource: true });
  const time = new VirtualTime();
  const start = () => followBoundResources(cluster, { sleep: time.sleep, random: () => 0 });
  return { cluster, time, start };
}

describe('followBoundResources', () => {
  it('says what all Bindings name once they are listed, each name once for a Binding, the oldest first', async () => {
    const { cluster, time, start } = follow();
    cluster.put(BINDINGS, binding('a', 2026, 'others', 'things'));
    cluster.put(BINDINGS, binding('b', 2025, 'things', 'things', 'olds'));
    const following = start();
    expect(following.names()).toBeUndefined();
    await time.settle();
    expect(following.names()?.map(({ resource }) => resource)).toEqual([
      ...['olds', 'things'],
      ...['others', 'things'],
    ]);
    await following.stop();
  });

  it('has no resources if there is no Binding', async () => {
    const { time, start } = follow();
    const following = start();
    await time.settle();
    expect(following.names()).toEqual([]);
    await following.stop();
  });

  it('notifies all readers when a Binding changes or is deleted, and none after it was stopped', async () => {
    const { cluster, time, start } = follow();
    const following = start();
    const told = [0, 0];
    for (const index of told.keys())
      following.onChange(() => {
        told[index] = (told[index] ?? 0) + 1;
      });
    await time.settle();
    expect(told).toEqual([1, 1]);
    cluster.put(BINDINGS, binding('a', 2026, 'things'));
    expect(following.names()).toEqual([{ group: 'g', version: 'v1', resource: 'things' }]);
    cluster.remove(BINDINGS, '/a');
    expect(following.names()).toEqual([]);
    expect(told).toEqual([3, 3]);
    await following.stop();
    cluster.put(BINDINGS, binding('a', 2026, 'things'));
    await time.settle();
    expect(told).toEqual([3, 3]);
  });
});
