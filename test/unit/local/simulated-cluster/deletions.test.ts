import { describe, expect, it } from 'vitest';
import { objectNotFound } from '#shared/api/messages.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { get, problem, send } from './http-client.ts';
import { useWds } from './wds.ts';

const wds = useWds();

describe('delete', () => {
  it('obeys its preconditions', async () => {
    const object = await wds.created('kept');
    const remove = (preconditions: JsonObject) =>
      send(`${wds.deployments}/kept`, 'DELETE', { body: { preconditions } });
    const uid = at(object, 'metadata', 'uid') ?? '';
    expect((await remove({ uid: 'other' })).code).toBe(409);
    expect((await remove({ uid, resourceVersion: '1' })).code).toBe(409);
    const { code, body } = await remove({
      uid,
      resourceVersion: at(object, 'metadata', 'resourceVersion') ?? '',
    });
    expect([code, at(body, 'status')]).toEqual([200, 'Success']);
    expect(at(body, 'details')).toEqual({ name: 'kept', group: 'apps', kind: 'deployments', uid });
    expect(problem(await send(`${wds.deployments}/kept`, 'DELETE'))).toBe(
      `404 NotFound: ${objectNotFound({ group: 'apps', resource: 'deployments' }, 'kept')}`,
    );
  });

  it('waits for finalizers', async () => {
    await wds.created('final', { metadata: { name: 'final', finalizers: ['x/y'] } });
    const url = `${wds.deployments}/final`;
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
    await wds.created('c1');
    await wds.created('c2');
    const { body } = await send(`${wds.deployments}?labelSelector=app%20in%20(c1,c3)`, 'DELETE');
    expect(at(body, 'items')).toHaveLength(1);
    expect((await get(`${wds.deployments}/c1`)).code).toBe(404);
    expect((await get(`${wds.deployments}/c2`)).code).toBe(200);
  });
});
