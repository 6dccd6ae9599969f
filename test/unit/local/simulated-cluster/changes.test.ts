import { describe, expect, it } from 'vitest';
import { objectNotFound } from '#shared/api/messages.ts';
import { at, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { changed, deployment, entriesAt, get, objectAt, problem, send } from './http-client.ts';
import { useWds } from './wds.ts';

const wds = useWds();

describe('replace', () => {
  it('bumps the generation with the spec only', async () => {
    const object = await wds.created('generations');
    const labelled = await send(`${wds.deployments}/generations`, 'PUT', {
      body: changed(object, { labels: { a: 'b' } }),
    });
    expect(at(labelled.body, 'metadata', 'generation')).toBe(1);
    const respecified = await send(`${wds.deployments}/generations`, 'PUT', {
      body: changed(objectAt(labelled.body), {}, { spec: { replicas: 3 } }),
    });
    expect(at(respecified.body, 'metadata', 'generation')).toBe(2);
    expect(at(respecified.body, 'metadata', 'labels')).toEqual({ a: 'b' });
  });

  it('leaves resourceVersion and status alone when nothing changes', async () => {
    const object = await wds.created('same');
    const { code, body } = await send(`${wds.deployments}/same`, 'PUT', {
      body: { ...object, status: { replicas: 4 } },
    });
    expect([code, body]).toEqual([200, object]);
  });

  it('refuses a stale resourceVersion in the words of the API server', async () => {
    const object = await wds.created('stale');
    const url = `${wds.deployments}/stale`;
    await send(url, 'PUT', { body: changed(object, {}, { spec: { replicas: 3 } }) });
    const late = await send(url, 'PUT', { body: changed(object, {}, { spec: { replicas: 4 } }) });
    expect(problem(late)).toBe(
      '409 Conflict: Operation cannot be fulfilled on deployments.apps "stale": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(at(late.body, 'details')).toEqual({ name: 'stale', group: 'apps', kind: 'deployments' });
    const unconditional = await send(url, 'PUT', { body: deployment('stale', { spec: {} }) });
    expect(unconditional.code).toBe(200);
  });

  it('demands a resourceVersion for a custom resource', async () => {
    const url = `${wds.url}/apis/control.kubestellar.io/v1alpha1/bindingpolicies`;
    const body = { metadata: { name: 'bp' }, spec: {} };
    await send(url, 'POST', { body });
    expect(problem(await send(`${url}/bp`, 'PUT', { body }))).toBe(
      '422 Invalid: BindingPolicy.control.kubestellar.io "bp" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    );
  });

  it('refuses another uid, another name and a missing object', async () => {
    const object = await wds.created('uid');
    const url = `${wds.deployments}/uid`;
    expect((await send(url, 'PUT', { body: changed(object, { uid: 'other' }) })).code).toBe(409);
    expect((await send(url, 'PUT', { body: changed(object, { name: 'x' }) })).code).toBe(400);
    const missing = await send(`${wds.deployments}/none`, 'PUT', { body: deployment('none') });
    const deployments = { group: 'apps', resource: 'deployments' };
    expect(problem(missing)).toBe(`404 NotFound: ${objectNotFound(deployments, 'none')}`);
  });
});

describe('the status subresource', () => {
  it('changes .status alone and notes who wrote it and when', async () => {
    const object = await wds.created('status');
    wds.pass(90_000);
    const { body } = await send(`${wds.deployments}/status/status?fieldManager=kubelet`, 'PUT', {
      body: changed(
        object,
        { labels: { no: 'no' } },
        { spec: {}, status: { replicas: 2, readyReplicas: 2 } },
      ),
    });
    expect(at(body, 'status')).toEqual({ replicas: 2, readyReplicas: 2 });
    expect(at(body, 'spec')).toEqual(object['spec']);
    expect(at(body, 'metadata', 'labels')).toEqual({ app: 'status' });
    expect(at(body, 'metadata', 'generation')).toBe(1);
    expect(at(body, 'metadata', 'managedFields')).toEqual([
      {
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:status': {} },
        manager: 'kubelet',
        operation: 'Update',
        subresource: 'status',
        time: '2026-01-01T00:01:30Z',
      },
    ]);
    wds.pass(60_000);
    const again = await send(`${wds.deployments}/status/status`, 'PATCH', {
      body: { status: { readyReplicas: 1 } },
      contentType: 'application/merge-patch+json',
      headers: { 'user-agent': 'kubelet/v1.36 (linux)' },
    });
    const times = entriesAt(again.body, 'metadata', 'managedFields');
    expect(times.map((entry) => at(entry, 'time'))).toEqual(['2026-01-01T00:02:30Z']);
    expect((await get(`${wds.deployments}/status/status`)).body).toEqual(again.body);
  });

  it('becomes what the kind always has when it is taken away', async () => {
    const object = await wds.created('cleared', {});
    await send(`${wds.deployments}/cleared/status`, 'PUT', {
      body: changed(object, { resourceVersion: '' }, { status: { replicas: 1 } }),
    });
    const { status: _status, ...bare } = changed(object, { resourceVersion: '' });
    const { body } = await send(`${wds.deployments}/cleared/status`, 'PUT', { body: bare });
    expect(at(body, 'status')).toEqual({});
  });

  it('is missing where the resource has none, and then .status is part of the object', async () => {
    const url = `${wds.url}/apis/control.kubestellar.io/v1alpha1/namespaces/default/combinedstatuses`;
    await send(url, 'POST', { body: { metadata: { name: 'a.b' }, results: [], status: { x: 1 } } });
    expect((await get(`${url}/a.b/status`)).code).toBe(404);
    const { body } = await send(`${url}/a.b`, 'PATCH', {
      body: { status: { x: 2 } },
      contentType: 'application/merge-patch+json',
    });
    expect([at(body, 'status'), at(body, 'metadata', 'generation')]).toEqual([{ x: 2 }, 2]);
    const fields = entriesAt(body, 'metadata', 'managedFields');
    expect(fields.map((entry) => at(entry, 'fieldsV1'))).toEqual([{ 'f:status': {} }]);
  });
});

describe('patch', () => {
  it.each<[string, JsonValue]>([
    ['application/merge-patch+json', { spec: { replicas: 7 } }],
    ['application/strategic-merge-patch+json', { spec: { replicas: 7 } }],
    ['application/json-patch+json', [{ op: 'replace', path: '/spec/replicas', value: 7 }]],
  ])('applies %s', async (contentType, body) => {
    const name = `p${contentType.length}`;
    const object = await wds.created(name);
    const answer = await send(`${wds.deployments}/${name}`, 'PATCH', { body, contentType });
    const spec = { ...objectAt(object, 'spec'), replicas: 7 };
    expect([answer.code, at(answer.body, 'spec')]).toEqual([200, spec]);
    expect(at(answer.body, 'metadata', 'generation')).toBe(2);
  });

  it('obeys a resourceVersion in the patch and keeps the server its metadata', async () => {
    await wds.created('guarded');
    const patch = (metadata: JsonObject) =>
      send(`${wds.deployments}/guarded`, 'PATCH', {
        body: { metadata },
        contentType: 'application/merge-patch+json',
      });
    expect((await patch({ resourceVersion: '1', labels: { a: 'b' } })).code).toBe(409);
    const { body } = await patch({ generation: 9, creationTimestamp: null, labels: { app: null } });
    expect(at(body, 'metadata', 'generation')).toBe(1);
    expect(at(body, 'metadata', 'creationTimestamp')).toBeTypeOf('string');
    expect(at(body, 'metadata', 'labels')).toBeUndefined();
  });

  it.each([
    ['application/apply-patch+yaml', 'server-side apply'],
    ['application/json', 'accepted media types include: application/json-patch+json'],
  ])('answers 415 to %s', async (contentType, words) => {
    const answer = await send(`${wds.deployments}/fresh`, 'PATCH', { body: {}, contentType });
    expect(answer.code).toBe(415);
    expect(at(answer.body, 'message')).toContain(words);
  });
});

it('changes and deletes nothing in a dry run', async () => {
  const object = await wds.created('drier');
  const url = `${wds.deployments}/drier`;
  const { body } = await send(`${url}?dryRun=All`, 'PUT', {
    body: changed(object, {}, { spec: { replicas: 8 } }),
  });
  expect([at(body, 'spec'), at(body, 'metadata', 'generation')]).toEqual([{ replicas: 8 }, 2]);
  expect((await send(`${url}?dryRun=All`, 'DELETE')).code).toBe(200);
  expect((await get(url)).body).toEqual(object);
});

describe('the scale subresource', () => {
  it('reads and changes spec.replicas', async () => {
    await wds.created('scaled');
    const url = `${wds.deployments}/scaled/scale`;
    const scale = (await get(url)).body;
    expect(at(scale, 'spec')).toEqual({ replicas: 2 });
    expect(at(scale, 'status')).toEqual({ replicas: 0, selector: 'app=scaled' });
    const put = await send(url, 'PUT', {
      body: { ...objectAt(scale), spec: { replicas: 4 } },
    });
    expect([put.code, at(put.body, 'spec')]).toEqual([200, { replicas: 4 }]);
    const stale = await send(url, 'PUT', {
      body: { ...objectAt(scale), spec: { replicas: 5 } },
    });
    expect(stale.code).toBe(409);
    await send(`${url}?fieldManager=hpa`, 'PATCH', {
      body: { spec: { replicas: 6 } },
      contentType: 'application/merge-patch+json',
    });
    const { body } = await get(`${wds.deployments}/scaled`);
    expect(at(body, 'spec', 'replicas')).toBe(6);
    expect(stringifyJson(at(body, 'metadata', 'managedFields'))).toContain('"manager":"hpa"');
  });
});
