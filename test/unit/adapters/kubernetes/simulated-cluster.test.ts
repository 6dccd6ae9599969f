import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import {
  ApiConflictError,
  ApiInvalidError,
  ApiNotFoundError,
  ResourceExpiredError,
} from '#shared/errors.ts';
import type { ObjectApi, ResourceApi, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { heard, SentMessages } from '#test/fakes/sent-messages.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const WEB = { ...DEPLOYMENTS, namespace: 'default', name: 'web' };
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

let cluster: SimulatedCluster;
let api: ObjectApi & ResourceApi;

beforeEach(async () => {
  cluster = await startSimulatedCluster({ name: 'c1' });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(cluster.kubeconfig());
  api = createKubernetesApi(kubeConfig, {
    requestTimeoutMs: 5000,
    fieldManager: 'starfold',
    pageSize: 2,
  });
});

afterEach(() => cluster.close());

function deployment(name: string, rest: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: { replicas: 1 },
    ...rest,
  };
}

function resourceVersion(object: JsonObject): string {
  return String(at(object, 'metadata', 'resourceVersion'));
}

describe('the Kubernetes ports on an API server', () => {
  it('create, get, replace and delete an object, each only as it was seen', async () => {
    expect(await api.get(WEB)).toBeUndefined();
    const created = await api.create(WEB, deployment('web'));
    await expect(api.create(WEB, deployment('web'))).rejects.toThrow(ApiConflictError);
    expect(await api.get(WEB)).toEqual(created);
    const replaced = await api.replace(WEB, { ...created, spec: { replicas: 2 } });
    expect(at(replaced, 'metadata', 'generation')).toBe(2);
    await expect(api.replace(WEB, created)).rejects.toThrow(ApiConflictError);
    const uid = String(at(created, 'metadata', 'uid'));
    const stale = { uid, resourceVersion: resourceVersion(created) };
    await expect(api.delete(WEB, stale)).rejects.toThrow(ApiConflictError);
    await api.delete(WEB, { uid, resourceVersion: resourceVersion(replaced) });
    await api.delete(WEB, stale);
    expect(await api.get(WEB)).toBeUndefined();
  });

  it('report what is wrong with a write', async () => {
    await expect(api.replace(WEB, deployment('web'))).rejects.toThrow(ApiNotFoundError);
    await expect(api.create(WEB, deployment('other', { metadata: {} }))).rejects.toThrow(
      ApiInvalidError,
    );
    const nowhere = { ...WEB, namespace: 'nowhere' };
    const object = deployment('web', { metadata: { name: 'web', namespace: 'nowhere' } });
    await expect(api.create(nowhere, object)).rejects.toThrow(ApiNotFoundError);
  });

  it('make a status exactly what is given, on the resourceVersion that was seen', async () => {
    const created = await api.create(WEB, deployment('web'));
    const first = await api.replaceStatus(WEB, {
      resourceVersion: resourceVersion(created),
      status: { replicas: 3, readyReplicas: 2 },
    });
    const change = { resourceVersion: resourceVersion(created), status: { replicas: 9 } };
    await expect(api.replaceStatus(WEB, change)).rejects.toThrow(ApiConflictError);
    const second = await api.replaceStatus(WEB, {
      ...change,
      resourceVersion: resourceVersion(first),
    });
    expect(second['status']).toEqual({ replicas: 9 });
    expect(at(second, 'metadata', 'generation')).toBe(1);
  });

  it('replace the status of a kind without the subresource in the object itself', async () => {
    const ref = { ...CONFIG_MAPS, namespace: 'default', name: 'c' };
    const metadata = { name: 'c', namespace: 'default' };
    const created = await api.create(ref, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    const change = { resourceVersion: resourceVersion(created), status: { a: 1 } };
    expect((await api.replaceStatus(ref, change))['status']).toEqual({ a: 1 });
    await expect(api.replaceStatus(ref, change)).rejects.toThrow(ApiConflictError);
  });

  it('set and remove labels on the resourceVersion that was seen', async () => {
    const created = await api.create(WEB, deployment('web'));
    const seen = resourceVersion(created);
    const labelled = await api.patchLabels(WEB, {
      resourceVersion: seen,
      labels: { a: 'b', c: 'd' },
    });
    expect(at(labelled, 'metadata', 'labels')).toEqual({ a: 'b', c: 'd' });
    const change = { resourceVersion: seen, labels: { a: null } };
    await expect(api.patchLabels(WEB, change)).rejects.toThrow(ApiConflictError);
    const current = { ...change, resourceVersion: resourceVersion(labelled) };
    expect(at(await api.patchLabels(WEB, current), 'metadata', 'labels')).toEqual({ c: 'd' });
  });

  it('find the resources that are served', async () => {
    const { resources: found } = await api.discover();
    expect(found).toContainEqual({
      ...DEPLOYMENTS,
      kind: 'Deployment',
      namespaced: true,
      statusSubresource: true,
    });
    expect(found).toContainEqual(
      expect.objectContaining({ ...CONFIG_MAPS, statusSubresource: false }),
    );
  });

  it('list selected objects in pages and watch from there', async () => {
    for (const name of ['a', 'b', 'c']) await api.create({ ...WEB, name }, deployment(name));
    const labels = { app: 'web' };
    const metadata = { name: 'd', namespace: 'default', labels };
    await api.create({ ...WEB, name: 'd' }, deployment('d', { metadata }));
    const all = await api.list(DEPLOYMENTS, {});
    expect(all.items.map((item) => at(item, 'metadata', 'name'))).toEqual(['a', 'b', 'c', 'd']);
    expect(all.items[0]).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment' });
    expect((await api.list(DEPLOYMENTS, { labelSelector: 'app=web' })).items).toHaveLength(1);

    const events: WatchEvent[] = [];
    const aborting = new AbortController();
    const watching = api.watch(
      DEPLOYMENTS,
      { resourceVersion: all.resourceVersion, onEvent: (event) => events.push(event) },
      aborting.signal,
    );
    const created = await api.create(WEB, deployment('web'));
    const resourceVersion = at(created, 'metadata', 'resourceVersion');
    const told = [{ type: 'ADDED', resourceVersion, object: created }];
    await vi.waitFor(() => expect(events).toEqual(told));
    aborting.abort();
    await watching;
  });

  it('say when a watch begins too far back', async () => {
    const { resourceVersion: old } = await api.list(DEPLOYMENTS, {});
    await api.create(WEB, deployment('web'));
    cluster.forgetHistory();
    const watching = api.watch(DEPLOYMENTS, { resourceVersion: old, onEvent: () => undefined });
    await expect(watching).rejects.toThrow(ResourceExpiredError);
  });
});

/** Longer than a busy machine takes. */
const PATIENCE = { timeout: 20_000 };

it('a forwarder reports the objects of an API server', async () => {
  const queue = new SentMessages();
  await api.create(WEB, deployment('web'));
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const forwarder = startForwarder({
    api,
    queue,
    source: { type: 'wec', name: 'c1', wds: 'wds1', resources: [DEPLOYMENTS, CONFIG_MAPS] },
    config: { windowMs: 5 },
    epoch: 1,
    clock: () => 0,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    random: () => 0.5,
    logger: silent,
  });
  await vi.waitFor(() => expect(forwarder.state().complete).toBe(true), PATIENCE);
  const created = await api.create({ ...WEB, name: 'api' }, deployment('api'));
  await api.replaceStatus(
    { ...WEB, name: 'api' },
    { resourceVersion: resourceVersion(created), status: { replicas: 1 } },
  );
  await vi.waitFor(() => {
    const known = heard(queue.events());
    expect([...known.keys()].sort()).toEqual([
      'wec/c1 wds1 apps/deployments/default/api',
      'wec/c1 wds1 apps/deployments/default/web',
    ]);
    expect(known.get('wec/c1 wds1 apps/deployments/default/api')).toMatchObject({
      status: { replicas: 1 },
    });
  }, PATIENCE);
  expect(forwarder.state().connected).toBe(true);
  await forwarder.stop();
});
