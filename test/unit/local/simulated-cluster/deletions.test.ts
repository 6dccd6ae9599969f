import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { deployment, get, objectAt, problem, send } from './http-client.ts';

let cluster: SimulatedCluster;
let deployments: string;
let ids = 0;
const nowMs = Date.parse('2026-01-01T00:00:00Z');

beforeAll(async () => {
  cluster = await startSimulatedCluster({
    name: 'wds1',
    idGenerator: () => {
      ids += 1;
      return `uid-${String(ids).padStart(5, '0')}`;
    },
    clock: () => new Date(nowMs),
  });
  deployments = `${cluster.url}/apis/apps/v1/namespaces/default/deployments`;
});

afterAll(() => cluster.close());

async function created(name: string, more: JsonObject = {}): Promise<JsonObject> {
  const { code, body } = await send(deployments, 'POST', { body: deployment(name, more) });
  expect(code).toBe(201);
  return objectAt(body);
}

describe('delete', () => {
  it('obeys its preconditions', async () => {
    const object = await created('kept');
    const remove = (preconditions: JsonObject) =>
      send(`${deployments}/kept`, 'DELETE', { body: { preconditions } });
    const uid = at(object, 'metadata', 'uid') ?? '';
    expect((await remove({ uid: 'other' })).code).toBe(409);
    expect((await remove({ uid, resourceVersion: '1' })).code).toBe(409);
    const { code, body } = await remove({
      uid,
      resourceVersion: at(object, 'metadata', 'resourceVersion') ?? '',
    });
    expect([code, at(body, 'status')]).toEqual([200, 'Success']);
    expect(at(body, 'details')).toEqual({ name: 'kept', group: 'apps', kind: 'deployments', uid });
    expect(problem(await send(`${deployments}/kept`, 'DELETE'))).toBe(
      '404 NotFound: deployments.apps "kept" not found',
    );
  });

  it('waits for finalizers', async () => {
    await created('final', { metadata: { name: 'final', finalizers: ['x/y'] } });
    const url = `${deployments}/final`;
    const { body } = await send(url, 'DELETE');
    expect(at(body, 'metadata', 'deletionTimestamp')).toMatch(/^2026-01-01T00:/);
    expect(at(body, 'metadata', 'generation')).toBe(2);
    expect((await send(url, 'DELETE')).body).toEqual(body);
    const released = await send(url, 'PATCH', {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
    expect(released.code).toBe(200);
    expect((await get(url)).code).toBe(404);
  });

  it('deletes a collection by label', async () => {
    await created('c1');
    await created('c2');
    const { body } = await send(`${deployments}?labelSelector=app%20in%20(c1,c3)`, 'DELETE');
    expect(at(body, 'items')).toHaveLength(1);
    expect((await get(`${deployments}/c1`)).code).toBe(404);
    expect((await get(`${deployments}/c2`)).code).toBe(200);
  });
});
