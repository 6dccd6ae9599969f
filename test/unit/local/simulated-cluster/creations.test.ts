import { describe, expect, it } from 'vitest';
import { objectNotFound, resourceNotFound } from '#shared/api/messages.ts';
import { at, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { deployment, get, problem, send } from './http-client.ts';
import { useWds } from './wds.ts';

const wds = useWds();

describe('create', () => {
  it('fills in what the API server owns and ignores .status', async () => {
    const object = await wds.created('fresh', {
      status: { replicas: 9 },
      metadata: { name: 'fresh', labels: {}, uid: 'mine', generation: 7, managedFields: [] },
    });
    expect(object['status']).toEqual({});
    expect(object['metadata']).toEqual({
      name: 'fresh',
      namespace: 'default',
      uid: expect.stringMatching(/^uid-/),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      resourceVersion: expect.stringMatching(/^\d+$/),
    });
    expect((await get(`${wds.deployments}/fresh`)).body).toEqual(object);
  });

  it('makes a name from generateName', async () => {
    const { body } = await send(wds.deployments, 'POST', {
      body: { metadata: { generateName: 'web-' }, spec: {} },
    });
    expect(at(body, 'metadata', 'name')).toMatch(/^web-\d{5}$/);
    expect(at(body, 'kind')).toBe('Deployment');
  });

  it('keeps 64-bit integers and the spelling of floating-point numbers', async () => {
    const url = `${wds.url}/apis/control.kubestellar.io/v1alpha1/statuscollectors`;
    const text =
      '{"apiVersion":"control.kubestellar.io/v1alpha1","kind":"StatusCollector","metadata":{"name":"big"},"spec":{"limit":9223372036854775807,"share":1.0}}';
    await fetch(url, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json' },
    });
    const answer = await (await fetch(`${url}/big`)).text();
    expect(answer).toContain('"spec":{"limit":9223372036854775807,"share":1.0}');
  });

  it('stores nothing in a dry run', async () => {
    const { code, body } = await send(`${wds.deployments}?dryRun=All`, 'POST', {
      body: deployment('dry'),
    });
    expect([code, at(body, 'metadata', 'uid')]).toEqual([201, expect.stringMatching(/^uid-/)]);
    expect((await get(`${wds.deployments}/dry`)).code).toBe(404);
  });

  const refused: readonly (readonly [string, string, JsonValue, string])[] = [
    [
      'a taken name',
      'default/deployments',
      deployment('fresh'),
      '409 AlreadyExists: deployments.apps "fresh" already exists',
    ],
    [
      'a missing namespace',
      'nowhere/deployments',
      deployment('a'),
      `404 NotFound: ${objectNotFound({ group: '', resource: 'namespaces' }, 'nowhere')}`,
    ],
    ['an unknown resource', 'default/gadgets', {}, `404 NotFound: ${resourceNotFound()}`],
    [
      'a missing name',
      'default/deployments',
      {},
      '422 Invalid: Deployment.apps "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'a bad name',
      'default/deployments',
      deployment('Up'),
      '422 Invalid: Deployment.apps "Up" is invalid: metadata.name: Invalid value: "Up": a lowercase RFC 1123 subdomain is needed',
    ],
    [
      'another kind',
      'default/deployments',
      { ...deployment('a'), kind: 'Job' },
      '400 BadRequest: the kind in the data (Job) does not match the expected kind (Deployment)',
    ],
    [
      'another group',
      'default/deployments',
      { ...deployment('a'), apiVersion: 'v1' },
      '400 BadRequest: the API version in the data (v1) does not match the expected API version (apps/v1)',
    ],
    [
      'another namespace',
      'default/deployments',
      deployment('a', { metadata: { name: 'a', namespace: 'other' } }),
      '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a resourceVersion',
      'default/deployments',
      deployment('a', { metadata: { name: 'a', resourceVersion: '5' } }),
      '500 undefined: resourceVersion should not be set on objects to be created',
    ],
    [
      'no object',
      'default/deployments',
      [],
      '400 BadRequest: the request body must be a JSON object, and so must its metadata',
    ],
  ];

  it.each(refused.map(([name, ...given]) => [name, given] as const))(
    'refuses %s',
    async (_name, given) => {
      const [path, body, expected] = given;
      const url = `${wds.url}/apis/apps/v1/namespaces/${path}`;
      expect(problem(await send(url, 'POST', { body }))).toBe(expected);
    },
  );

  it('refuses a label value that is too long', async () => {
    const body = deployment('a', { metadata: { name: 'a', labels: { x: 'v'.repeat(64) } } });
    const answer = await send(wds.deployments, 'POST', { body });
    expect(answer.code).toBe(422);
    expect(at(answer.body, 'message')).toContain('must be no more than 63 characters');
  });

  it.each<[string, JsonValue, string]>([
    ['a bad label value', { x: '-' }, 'a valid label must consist of'],
    ['a label value that is not a string', { x: 1 }, 'must be a string'],
    ['a bad label key', { '/x': '' }, 'a valid label key'],
  ])('refuses %s', async (_name, labels, words) => {
    const body = deployment('a', { metadata: { name: 'a', labels } });
    const answer = await send(wds.deployments, 'POST', { body });
    expect(answer.code).toBe(422);
    expect(at(answer.body, 'message')).toContain(words);
  });

  it('refuses what it cannot read', async () => {
    const headers = { 'content-type': 'application/cbor' };
    expect((await fetch(wds.deployments, { method: 'POST', headers, body: 'k8s' })).status).toBe(
      415,
    );
    expect(
      (
        await fetch(wds.deployments, {
          method: 'POST',
          body: '{',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(400);
    expect((await fetch(wds.deployments, { method: 'POST' })).status).toBe(400);
    const large = stringifyJson('x'.repeat(3 * 1024 * 1024));
    expect((await fetch(wds.deployments, { method: 'POST', body: large })).status).toBe(413);
  });
});

it.each([
  ['GET', '/apis/apps/v1/deployments/web', 404],
  ['GET', '/api/v1/namespaces/default/namespaces/default', 404],
  ['GET', '/apis/apps/v1/namespaces/default/deployments/fresh/log', 404],
  ['GET', '/apis/apps/v9/deployments', 404],
  ['GET', '/apis/none', 404],
  ['GET', '/%zz', 404],
  ['GET', '/openapi/v1', 404],
  ['POST', '/openapi/v2', 405],
  ['POST', '/version', 405],
  ['POST', '/apis/apps/v1/deployments', 405],
  ['DELETE', '/apis/apps/v1/deployments', 405],
  ['PUT', '/apis/apps/v1/namespaces/default/deployments', 405],
  ['POST', '/apis/apps/v1/namespaces/default/deployments/fresh', 405],
])('%s %s is answered with a Status %i', async (method, path, code) => {
  const answer = await send(`${wds.url}${path}`, method);
  expect([answer.code, at(answer.body, 'kind'), at(answer.body, 'code')]).toEqual([
    code,
    'Status',
    code,
  ]);
});
