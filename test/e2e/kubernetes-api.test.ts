import { readFile } from 'node:fs/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { ApiConflictError, ApiNotFoundError, ResourceExpiredError } from '#shared/errors.ts';
import type { Resource, Selection, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { clusters, createNamespace } from './clusters.ts';
import { controlRef } from './controls.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { configMap, deployment, type Manifest } from './workloads.ts';

const namespace = 'kubernetes-api';
const { wds, kubeconfigPath } = clusters();
const api = createKubernetesApi(loadKubeConfig(kubeconfigPath, 'wds'), {
  context: 'wds',
  requestTimeoutMs: 10_000,
  fieldManager: 'starfold',
  pageSize: 2,
});

beforeAll(() => createNamespace(wds, namespace));

const versionOf = (object: JsonValue | undefined): string =>
  String(at(object, 'metadata', 'resourceVersion'));
const uidOf = (object: JsonValue | undefined): string => String(at(object, 'metadata', 'uid'));

const named = (name: string): Manifest => deployment({ namespace, name });

/** A Deployment, and a resourceVersion that it no longer has. */
async function changed(name: string) {
  const { ref, object } = named(name);
  const first = await api.create(ref, object);
  const change = { resourceVersion: versionOf(first), status: { replicas: 3, readyReplicas: 2 } };
  return { ref, stale: versionOf(first), stored: await api.replaceStatus(ref, change) };
}

describe('the Kubernetes adapter on a real API server', () => {
  it('replaces a status exactly, and refuses to on a stale resourceVersion', async () => {
    const { ref, stale, stored } = await changed('status');
    const status = { replicas: 1 };
    const late = api.replaceStatus(ref, { resourceVersion: stale, status });
    await expect(late).rejects.toBeInstanceOf(ApiConflictError);
    const next = await api.replaceStatus(ref, { resourceVersion: versionOf(stored), status });
    expect(next['status']).toEqual(status);
    expect(await api.get(ref)).toEqual(next);
  });

  it('names what the API server rejects', async () => {
    const { ref, stored } = await changed('invalid');
    const status = { replicas: 1, readyReplicas: 2 };
    const refused = api.replaceStatus(ref, { resourceVersion: versionOf(stored), status });
    await expect(refused).rejects.toMatchObject({
      code: 'api-invalid',
      reason: expect.stringContaining('status.readyReplicas'),
    });
  });

  it('writes the status of a kind without the subresource on the object itself', async () => {
    const { ref, object } = configMap({ namespace, name: 'without-status' });
    const created = await api.create(ref, object);
    const change = { resourceVersion: versionOf(created), status: { phase: 'Ready' } };
    expect(await api.replaceStatus(ref, change)).toEqual(created);
  });

  it('replaces an object on its resourceVersion alone', async () => {
    const { ref, stored } = await changed('replace');
    const spec: JsonObject = { ...Object(stored['spec']), replicas: 5 };
    const next = await api.replace(ref, { ...stored, spec });
    expect(at(next, 'spec', 'replicas')).toBe(5);
    const late = api.replace(ref, { ...stored, spec: { ...spec, replicas: 6 } });
    await expect(late).rejects.toBeInstanceOf(ApiConflictError);
  });

  it('patches labels on the resourceVersion alone', async () => {
    const { ref, stale, stored } = await changed('labels');
    const labels = { app: null, 'kubestellar.io/executing-count': '2' };
    const late = api.patchLabels(ref, { resourceVersion: stale, labels });
    await expect(late).rejects.toBeInstanceOf(ApiConflictError);
    const next = await api.patchLabels(ref, { resourceVersion: versionOf(stored), labels });
    expect(at(next, 'metadata', 'labels')).toEqual({ 'kubestellar.io/executing-count': '2' });
  });

  it('deletes only the object that was meant', async () => {
    const { ref, stale, stored } = await changed('delete');
    const [uid, resourceVersion] = [uidOf(stored), versionOf(stored)];
    const late = api.delete(ref, { uid, resourceVersion: stale });
    await expect(late).rejects.toBeInstanceOf(ApiConflictError);
    const other = api.delete(ref, { uid: 'other', resourceVersion });
    await expect(other).rejects.toBeInstanceOf(ApiConflictError);
    expect(await api.get(ref)).toEqual(stored);
    await api.delete(ref, { uid, resourceVersion });
    expect(await api.get(ref)).toBeUndefined();
    await api.delete(ref, { uid, resourceVersion });
  });

  it('cannot create what exists, nor in a namespace that does not', async () => {
    const { ref, object } = named('twice');
    await api.create(ref, object);
    await expect(api.create(ref, object)).rejects.toBeInstanceOf(ApiConflictError);
    const nowhere = deployment({ namespace: 'nowhere', name: 'd' });
    const created = api.create(nowhere.ref, nowhere.object);
    await expect(created).rejects.toBeInstanceOf(ApiNotFoundError);
  });

  it('discovers resources, their scope and their status subresource', async () => {
    const { resources } = await api.discover();
    const found = (resource: string) => resources.find((info) => info.resource === resource);
    expect(found('deployments')).toEqual({
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      kind: 'Deployment',
      namespaced: true,
      statusSubresource: true,
    });
    expect(found('configmaps')).toMatchObject({ namespaced: true, statusSubresource: false });
    expect(found('bindings')).toMatchObject({
      group: 'control.kubestellar.io',
      namespaced: false,
      statusSubresource: true,
    });
    expect(found('combinedstatuses')).toMatchObject({ namespaced: true, statusSubresource: false });
  });

  it('lists over pages and follows from there', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) {
      const { ref, object } = configMap({ namespace, name: `page-${name}` });
      await api.create(ref, { ...object, metadata: { name: ref.name, labels: { page: 'yes' } } });
    }
    const { ref } = configMap({ namespace, name: 'page-c' });
    const labelSelector = 'page=yes';
    const { items, resourceVersion } = await api.list(ref, { labelSelector });
    expect(items.map((item) => at(item, 'metadata', 'name'))).toEqual(
      names.map((name) => `page-${name}`),
    );
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });

    const stop = new AbortController();
    const events: WatchEvent[] = [];
    const onEvent = (event: WatchEvent) => {
      events.push(event);
      if (event.type === 'DELETED') stop.abort();
    };
    const options = { labelSelector, resourceVersion, onEvent };
    const watching = api.watch(ref, options, stop.signal);
    const item = items[2];
    await api.delete(ref, { uid: uidOf(item), resourceVersion: versionOf(item) });
    await watching;
    expect(events).toMatchObject([{ type: 'DELETED', object: { metadata: { name: 'page-c' } } }]);
  });

  it('says that a resourceVersion has expired', async () => {
    const resource = {
      group: 'control.kubestellar.io',
      version: 'v1alpha1',
      resource: 'statuscollectors',
    };
    // A resource that is served for the first time answers 429 until its cache is filled.
    const outcome = () =>
      api.watch(resource, { resourceVersion: '1', onEvent: () => {} }).catch((error) => error);
    await expect.poll(outcome, { timeout: 20_000 }).toBeInstanceOf(ResourceExpiredError);
  });
});

/** Whether a watch is accepted: a resource that is served for the first time answers 429 until its cache is filled. */
async function isWatched(resource: Resource): Promise<boolean> {
  const stop = new AbortController();
  const options = { resourceVersion: '0', onEvent: () => {}, onOpen: () => stop.abort() };
  await api.watch(resource, options, stop.signal).catch(() => undefined);
  return stop.signal.aborted;
}

/** The events of a watch up to and with the deletion of one object, however it is told. */
async function upToDeletion(
  resource: Resource,
  options: Selection & { readonly resourceVersion: string },
): Promise<readonly WatchEvent[]> {
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const onEvent = (event: WatchEvent): void => {
    if (event.type !== 'BOOKMARK') events.push(event);
    if (event.type === 'DELETED') stop.abort();
  };
  await api.watch(resource, { ...options, onEvent }, stop.signal);
  return events;
}

describe('metadata alone', () => {
  const labels = { metadata: 'alone' };
  const selection = { labelSelector: 'metadata=alone', metadataOnly: true } as const;
  const collector = controlRef('statuscollectors', 'metadata-alone');

  it.each([
    { what: 'a built-in kind', ...configMap({ namespace, name: 'metadata-alone' }) },
    {
      what: 'a custom resource',
      ref: collector,
      object: {
        apiVersion: 'control.kubestellar.io/v1alpha1',
        kind: 'StatusCollector',
        metadata: { name: collector.name },
        spec: { select: [{ name: 'wec', def: 'inventory.name' }] },
      },
    },
  ])('of $what is listed and watched', async ({ ref, object }) => {
    await expect.poll(() => isWatched(ref), { timeout: 20_000 }).toBe(true);
    const metadata = { ...Object(object['metadata']), labels };
    const first = await api.create(ref, { ...object, metadata });
    const { items, resourceVersion } = await api.list(ref, selection);
    const form = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
    expect(items).toEqual([{ ...form, metadata: first['metadata'] }]);

    const reduce = (seen: JsonObject): JsonObject => ({ members: Object.keys(seen).sort() });
    const watching = upToDeletion(ref, { ...selection, resourceVersion, reduce });
    const change = { resourceVersion: versionOf(first), labels: { changed: 'yes' } };
    const changed = await api.patchLabels(ref, change);
    await api.delete(ref, { uid: uidOf(changed), resourceVersion: versionOf(changed) });
    const told = { members: ['apiVersion', 'kind', 'metadata'] };
    const [modified, deleted] = await watching;
    expect(modified).toEqual({
      type: 'MODIFIED',
      resourceVersion: versionOf(changed),
      object: told,
    });
    expect(deleted).toMatchObject({ type: 'DELETED', object: told });
    expect(Number(deleted?.resourceVersion)).toBeGreaterThan(Number(versionOf(changed)));
  });
});

describe('behind a proxy that swallows what is sent', () => {
  it('a watch is taken for dead, and misses nothing when it watches on', async () => {
    const proxy = await startTcpProxy(wds.server);
    const proxied = new KubeConfig();
    proxied.loadFromString(
      (await readFile(kubeconfigPath, 'utf8')).replace(wds.server, proxy.server),
    );
    const through = createKubernetesApi(proxied, {
      context: 'wds',
      requestTimeoutMs: 5_000,
      fieldManager: 'starfold',
      watch: { idleMs: 10_000 },
    });
    const { ref, object } = configMap({ namespace, name: 'before-silence' });
    const selection = { labelSelector: 'silence=yes' };
    const write = (name: string) =>
      api.create(
        { ...ref, name },
        { ...object, metadata: { name, namespace, labels: { silence: 'yes' } } },
      );
    let { resourceVersion } = await through.list(ref, selection);
    const names: unknown[] = [];
    const follow = (onEach: () => void, signal?: AbortSignal): Promise<void> => {
      const onEvent = (event: WatchEvent): void => {
        ({ resourceVersion } = event);
        if (event.type === 'BOOKMARK') return;
        names.push(at(event.object, 'metadata', 'name'));
        onEach();
      };
      return through.watch(ref, { ...selection, resourceVersion, onEvent }, signal);
    };
    try {
      const dying = follow(() => proxy.swallow());
      await write('before-silence');
      const dead = expect(dying).rejects.toThrow(/nothing received for 10 s/);
      await expect.poll(() => names, { timeout: 20_000 }).toEqual(['before-silence']);
      await write('in-silence');
      await dead;
      await proxy.restore();
      const stop = new AbortController();
      await follow(() => stop.abort(), stop.signal);
      expect(names).toEqual(['before-silence', 'in-silence']);
    } finally {
      await proxy.cut();
    }
  });
});
