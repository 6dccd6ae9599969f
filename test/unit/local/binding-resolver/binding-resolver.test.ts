import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import {
  type RunningResolver,
  startBindingResolver,
} from '#local/binding-resolver/binding-resolver.ts';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';

const CONTROL = 'control.kubestellar.io/v1alpha1';
const BINDING = { group: 'control.kubestellar.io', version: 'v1alpha1', resource: 'bindings' };
const CRD: JsonObject = parse(
  readFileSync(new URL('../../../fixtures/managedclusters.yaml', import.meta.url), 'utf8'),
);

let cluster: SimulatedCluster;
let api: ObjectApi & ResourceApi;
let resolver: RunningResolver;

function apiOf(simulated: SimulatedCluster): ObjectApi & ResourceApi {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(simulated.kubeconfig());
  return createKubernetesApi(kubeConfig, { requestTimeoutMs: 60_000, fieldManager: 'starfold' });
}

function start(inventory?: ResourceApi): RunningResolver {
  return startBindingResolver({
    wds: api,
    ...(inventory === undefined ? {} : { inventory }),
    clusters: ['edge1', 'edge2'],
    config: { settleMs: 10 },
    clock: Date.now,
    random: () => 0.5,
    sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
    logger: { info: () => undefined, warn: () => undefined },
  });
}

beforeEach(async () => {
  cluster = await startSimulatedCluster({ name: 'wds1' });
  api = apiOf(cluster);
  resolver = start();
});

afterEach(async () => {
  await resolver.stop();
  await cluster.close();
});

function configMap(name: string, labels: JsonObject = {}): JsonObject {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, labels };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

function policy(name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  const own = { name, uid: `uid-${name}`, ...metadata };
  return { apiVersion: CONTROL, kind: 'BindingPolicy', metadata: own, spec };
}

const ALL = { clusterSelectors: [{}], downsync: [{ resources: ['configmaps'] }] };

async function binding(name: string): Promise<JsonObject | undefined> {
  return api.get({ ...BINDING, namespace: '', name });
}

function names(value: JsonValue | undefined, field: string): readonly string[] {
  return Array.isArray(value) ? value.map((entry) => String(at(entry, field))) : [];
}

async function expectBinding(name: string, wecs: readonly string[], objects: readonly string[]) {
  await vi.waitFor(async () => {
    const found = await binding(name);
    expect(names(at(found, 'spec', 'destinations'), 'clusterId')).toEqual(wecs);
    expect(names(at(found, 'spec', 'workload', 'namespaceScope'), 'name')).toEqual(objects);
  }, 5000);
}

it('makes the Binding of a policy, and makes it follow objects that come and go', async () => {
  cluster.apply(configMap('one'));
  cluster.apply(policy('all', ALL));
  await expectBinding('all', ['edge1', 'edge2'], ['one']);
  expect(at(await binding('all'), 'metadata', 'ownerReferences')).toMatchObject([
    { kind: 'BindingPolicy', name: 'all', uid: 'uid-all' },
  ]);
  cluster.apply(configMap('two'));
  await expectBinding('all', ['edge1', 'edge2'], ['one', 'two']);
  cluster.delete(configMap('one'));
  await expectBinding('all', ['edge1', 'edge2'], ['two']);
});

it('takes the ManagedClusters of another cluster, and deletes the Binding with its policy', async () => {
  const its = await startSimulatedCluster({ name: 'its' });
  try {
    await resolver.stop();
    its.apply(CRD);
    const managed = (name: string, labels: JsonObject): JsonObject => ({
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name, uid: `uid-${name}`, labels },
    });
    its.apply(managed('a', { tier: 'edge' }));
    its.apply(managed('b', {}));
    resolver = start(apiOf(its));
    cluster.apply(configMap('one'));
    const west = policy('edge', { ...ALL, clusterSelectors: [{ matchLabels: { tier: 'edge' } }] });
    cluster.apply(west);
    await expectBinding('edge', ['a'], ['one']);
    its.apply(managed('b', { tier: 'edge' }));
    await expectBinding('edge', ['a', 'b'], ['one']);
    cluster.delete(west);
    await vi.waitFor(async () => expect(await binding('edge')).toBeUndefined(), 5000);
  } finally {
    await its.close();
  }
});

it('repairs an edit on the present version, and writes nothing after a restart', async () => {
  cluster.apply(configMap('one'));
  cluster.apply(policy('all', ALL));
  await expectBinding('all', ['edge1', 'edge2'], ['one']);
  const made = (await binding('all')) ?? {};
  const ref = { ...BINDING, namespace: '', name: 'all' };
  await api.replace(ref, { ...made, spec: { ...Object(made['spec']), workload: {} } });
  await expectBinding('all', ['edge1', 'edge2'], ['one']);
  const repaired = await binding('all');
  await resolver.stop();
  cluster.apply({ ...configMap('one'), status: { seen: true } });
  cluster.apply(policy('other', ALL));
  resolver = start();
  await expectBinding('other', ['edge1', 'edge2'], ['one']);
  expect(await binding('all')).toEqual(repaired);
});
