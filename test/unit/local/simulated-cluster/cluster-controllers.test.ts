import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { brief, get, openWatch, send } from './http-client.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await startSimulatedCluster({ name: 'wds1' });
});

afterEach(() => cluster.close());

function path(resource: string, namespace = 'default'): string {
  return `${cluster.url}/api/v1/namespaces/${namespace}/${resource}`;
}

async function post(url: string, body: JsonValue): Promise<JsonValue> {
  const answer = await send(url, 'POST', { body });
  expect(answer.code).toBe(201);
  return answer.body;
}

function owned(name: string, owners: readonly JsonValue[]): JsonObject {
  return {
    metadata: {
      name,
      ownerReferences: owners.map((owner) => ({
        uid: at(owner, 'metadata', 'uid') ?? '',
        kind: 'ConfigMap',
        name: '',
        apiVersion: 'v1',
      })),
    },
  };
}

async function exists(url: string): Promise<boolean> {
  return (await get(url)).code === 200;
}

describe('garbage collection', () => {
  it('deletes dependents, and theirs, when the last owner has gone', async () => {
    const maps = path('configmaps');
    const first = await post(maps, { metadata: { name: 'first' } });
    const second = await post(maps, { metadata: { name: 'second' } });
    const shared = await post(maps, owned('shared', [first, second]));
    await post(maps, owned('grandchild', [shared]));
    await send(`${maps}/first`, 'DELETE');
    const left = (await get(`${maps}/shared`)).body;
    expect(at(left, 'metadata', 'ownerReferences')).toHaveLength(1);
    await send(`${maps}/second`, 'DELETE');
    expect(await exists(`${maps}/shared`)).toBe(false);
    expect(await exists(`${maps}/grandchild`)).toBe(false);
  });

  it('deletes what is created after its owner has gone, but not what an unknown owner has', async () => {
    const maps = path('configmaps');
    const owner = await post(maps, { metadata: { name: 'owner' } });
    await send(`${maps}/owner`, 'DELETE');
    await post(maps, owned('late', [owner]));
    await post(maps, owned('foreign', [{ metadata: { uid: 'elsewhere' } }]));
    expect(await exists(`${maps}/late`)).toBe(false);
    expect(await exists(`${maps}/foreign`)).toBe(true);
  });
});

describe('namespaces', () => {
  const named = (name: string) => `${cluster.url}/api/v1/namespaces/${name}`;

  it('are there at the start', async () => {
    const { body } = await get(`${cluster.url}/api/v1/namespaces`);
    const items = at(body, 'items');
    expect(isArray(items) ? items.map((item) => at(item, 'metadata', 'name')) : []).toEqual([
      'default',
      'kube-system',
      'kubestellar-report',
    ]);
    expect((await send(named('default'), 'DELETE')).code).toBe(403);
  });

  it('go with their content, and take nothing new meanwhile', async () => {
    await post(`${cluster.url}/api/v1/namespaces`, { metadata: { name: 'team' } });
    await post(path('configmaps', 'team'), { metadata: { name: 'plain' } });
    await post(path('configmaps', 'team'), { metadata: { name: 'held', finalizers: ['x/y'] } });
    const { body } = await send(named('team'), 'DELETE');
    expect(at(body, 'status', 'phase')).toBe('Terminating');
    expect(await exists(`${path('configmaps', 'team')}/plain`)).toBe(false);
    const late = await send(path('configmaps', 'team'), 'POST', {
      body: { metadata: { name: 'late' } },
    });
    expect([late.code, at(late.body, 'reason')]).toEqual([403, 'Forbidden']);
    expect(await exists(named('team'))).toBe(true);
    await send(`${path('configmaps', 'team')}/held`, 'PATCH', {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
    expect(await exists(named('team'))).toBe(false);
  });

  it('go at once when they are empty', async () => {
    await post(`${cluster.url}/api/v1/namespaces`, { metadata: { name: 'team' } });
    expect(at((await send(named('team'), 'DELETE')).body, 'status')).toBe('Success');
    expect(await exists(named('team'))).toBe(false);
  });
});

describe('a CustomResourceDefinition', () => {
  const CRD = {
    metadata: { name: 'widgets.demo.example.com' },
    spec: {
      group: 'demo.example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wg'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Color', type: 'string', jsonPath: '.spec.color' },
            { name: 'Team', type: 'string', jsonPath: ".metadata.labels['x\\.y/team']" },
            { name: 'First', type: 'integer', jsonPath: '.spec.sizes[0]' },
            { name: 'Odd', type: 'string', jsonPath: '.spec.items[?(@.a=="b")].c' },
          ],
        },
      ],
    },
  };

  it('is established at once, is served, and takes its objects with it', async () => {
    const crds = `${cluster.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    const widgets = `${cluster.url}/apis/demo.example.com/v1/namespaces/default/widgets`;
    expect((await get(widgets)).code).toBe(404);
    const crd = await post(crds, CRD);
    expect(at(crd, 'status', 'conditions')).toContainEqual(
      expect.objectContaining({ type: 'Established', status: 'True' }),
    );
    await post(widgets, {
      metadata: { name: 'gizmo', labels: { 'x.y/team': 'red' } },
      spec: { color: 'blue', sizes: [4, 5] },
      status: { no: true },
    });
    expect(at((await get(`${widgets}/gizmo`)).body, 'status')).toBeUndefined();
    const table = (await get(widgets, 'application/json;as=Table;v=v1;g=meta.k8s.io')).body;
    const rows = at(table, 'rows');
    expect(isArray(rows) ? at(rows[0], 'cells') : rows).toEqual([
      'gizmo',
      'blue',
      'red',
      4,
      null,
      expect.any(String),
    ]);
    const { body } = await get(`${cluster.url}/apis/demo.example.com/v1`);
    expect(at(body, 'resources')).toEqual([
      expect.objectContaining({ name: 'widgets', shortNames: ['wg'], namespaced: true }),
      expect.objectContaining({ name: 'widgets/status', kind: 'Widget' }),
    ]);
    const watch = await openWatch(`${widgets}?watch=1`);
    await send(`${crds}/widgets.demo.example.com`, 'DELETE');
    expect([brief(await watch.next()), brief(await watch.next())]).toEqual([
      'ADDED gizmo',
      'DELETED gizmo',
    ]);
    await watch.close();
    expect((await get(widgets)).code).toBe(404);
  });
});
