import { once } from 'node:events';
import { createServer, get as httpGet } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { at, isArray, type JsonValue } from '#shared/core/json.ts';
import { deployment, get, openWatch, send } from './http-client.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await startSimulatedCluster({ name: 'wds1' });
});

afterEach(() => cluster.close());

async function exists(url: string): Promise<boolean> {
  return (await get(url)).code === 200;
}

describe('what a player sets', () => {
  const recorded = {
    ...deployment('web'),
    metadata: {
      name: 'web',
      namespace: 'rollout',
      uid: 'u1',
      generation: 4,
      resourceVersion: '777',
    },
    status: { replicas: 3, terminatingReplicas: 0 },
  };
  const url = () => `${cluster.url}/apis/apps/v1/namespaces/rollout/deployments`;

  it('is stored as it is, in a namespace that is made for it', async () => {
    cluster.apply(recorded);
    const { body } = await get(`${url()}/web`);
    const resourceVersion = at(body, 'metadata', 'resourceVersion') ?? '';
    expect(resourceVersion).not.toBe('777');
    expect(body).toEqual({ ...recorded, metadata: { ...recorded.metadata, resourceVersion } });
    expect(await exists(`${cluster.url}/api/v1/namespaces/rollout`)).toBe(true);
  });

  it('is told once, and under another uid as another object', async () => {
    const watch = await openWatch(`${url()}?watch=1&resourceVersion=1`);
    cluster.apply(recorded);
    cluster.apply({ ...recorded, metadata: { ...recorded.metadata, resourceVersion: '778' } });
    cluster.apply({ ...recorded, metadata: { ...recorded.metadata, uid: 'u2' } });
    cluster.delete({ ...recorded, status: { replicas: 1 } });
    const events: JsonValue[] = [];
    for (const _each of ['ADDED', 'DELETED', 'ADDED', 'DELETED'])
      events.push((await watch.next()) ?? null);
    expect(
      events.map((event) => `${at(event, 'type')} ${at(event, 'object', 'metadata', 'uid')}`),
    ).toEqual(['ADDED u1', 'DELETED u1', 'ADDED u2', 'DELETED u1']);
    expect(at(events[3], 'object', 'status')).toEqual({ replicas: 1 });
    await watch.close();
  });

  it('may be deleted by name, again and again', async () => {
    cluster.apply(recorded);
    const name = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'rollout' },
    };
    cluster.delete(name);
    cluster.delete(name);
    expect(await exists(`${url()}/web`)).toBe(false);
  });

  it('must be of a kind that is served, and have a name', () => {
    expect(() => cluster.apply({ apiVersion: 'v1', kind: 'Ghost' })).toThrow(RangeError);
    expect(() => cluster.apply({ apiVersion: 'v1', kind: 'Pod' })).toThrow(RangeError);
  });

  it('does not end a namespace that a recording shows as terminating', async () => {
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'end', uid: 'n', deletionTimestamp: 't' },
    };
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'end', uid: 'm' },
    };
    cluster.apply(namespace);
    cluster.apply(map);
    cluster.delete(map);
    expect(await exists(`${cluster.url}/api/v1/namespaces/end`)).toBe(true);
  });
});

describe('the server', () => {
  it('has a kubeconfig that names it', () => {
    const config = parse(cluster.kubeconfig());
    expect(config['current-context']).toBe('wds1');
    expect(config.clusters).toEqual([
      { name: 'wds1', cluster: expect.objectContaining({ server: cluster.url }) },
    ]);
  });

  it('says which port is in use and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(startSimulatedCluster({ name: 'wec9', port })).rejects.toMatchObject({
      code: 'port-in-use',
      port,
      message: expect.stringMatching(new RegExp(`wec9: port ${port} .*choose another port`)),
    });
    other.close();
  });

  it('serves the given resources, and namespaces', async () => {
    const widgets = {
      group: 'demo.example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
      statusSubresource: false,
    };
    const small = await startSimulatedCluster({ name: 'small', resources: [widgets] });
    const url = `${small.url}/apis/demo.example.com/v1/namespaces/default/widgets`;
    expect((await send(url, 'POST', { body: { metadata: { name: 'a' } } })).code).toBe(201);
    expect((await get(`${small.url}/api/v1/namespaces/default`)).code).toBe(200);
    expect((await get(`${small.url}/api/v1/pods`)).code).toBe(404);
    await small.close();
  });

  it('refuses a request to another host name', async () => {
    const headers = { host: 'rebound.example.com' };
    const request = httpGet(`${cluster.url}/api/v1/namespaces`, { headers });
    const [response] = await once(request, 'response');
    response.resume();
    expect(response.statusCode).toBe(403);
  });

  it.each(['/healthz', '/readyz', '/livez'])('answers %s', async (probe) => {
    expect(await (await fetch(`${cluster.url}${probe}`)).text()).toBe('ok');
  });

  it('tells its version, groups and resources', async () => {
    expect(at((await get(`${cluster.url}/version`)).body, 'minor')).toBe('36');
    expect(at((await get(`${cluster.url}/api`)).body, 'versions')).toEqual(['v1']);
    const { body } = await get(`${cluster.url}/apis`);
    expect(at(body, 'groups')).toContainEqual({
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    expect(at((await get(`${cluster.url}/apis/apps`)).body, 'kind')).toBe('APIGroup');
    const resources = at((await get(`${cluster.url}/apis/apps/v1`)).body, 'resources');
    expect(resources).toContainEqual(
      expect.objectContaining({ name: 'deployments', shortNames: ['deploy'] }),
    );
    expect(resources).toContainEqual(
      expect.objectContaining({ name: 'deployments/scale', kind: 'Scale' }),
    );
    const kubestellar = await get(`${cluster.url}/apis/control.kubestellar.io/v1alpha1`);
    const offered = at(kubestellar.body, 'resources');
    expect(isArray(offered) ? offered.map((entry) => at(entry, 'name')) : []).not.toContain(
      'combinedstatuses/status',
    );
  });

  it('tells kubectl apply that the server validates', async () => {
    const root = (await get(`${cluster.url}/openapi/v3`)).body;
    const url = at(root, 'paths', 'apis/apps/v1', 'serverRelativeURL');
    const { body } = await get(`${cluster.url}${url}`);
    const operation = at(
      body,
      'paths',
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
      'patch',
    );
    expect(at(operation, 'x-kubernetes-group-version-kind', 'kind')).toBe('Deployment');
    expect(at(operation, 'parameters')).toContainEqual(
      expect.objectContaining({ name: 'fieldValidation' }),
    );
  });
});
