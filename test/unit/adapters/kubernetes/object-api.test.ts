import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { ABORTED, noAnswer, noCredentials } from '#shared/adapters/kubernetes/messages.ts';
import {
  ApiConflictError,
  ApiForbiddenError,
  ApiInvalidError,
  ApiNotFoundError,
  ApiUnavailableError,
} from '#shared/errors.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const WEB = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'default',
  name: 'web',
};
const WIDGET = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  namespace: '',
  name: 'a/b',
};
const OPTIONS = { requestTimeoutMs: 5000, fieldManager: 'starfold' };

let server: HttpApiServer;
let api: ObjectApi & ResourceApi;

beforeEach(async () => {
  server = await startHttpApiServer();
  api = createKubernetesApi(server.kubeConfig(), OPTIONS);
});

afterEach(() => server.close());

function lines(): string[] {
  return server.requests.map(({ line }) => line);
}

/** Answers with an API server's Status. */
function refuse(code: number, reason: string, headers: Record<string, string> = {}): void {
  server.answer = (_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    json(response, { kind: 'Status', status: 'Failure', message: reason, code }, code);
  };
}

describe('single objects', () => {
  it('are read and written without loss of 64-bit integers, and with x-kubernetes keys', async () => {
    const text = '{"spec":{"big":9223372036854775807,"f":1.0,"x-kubernetes-map-type":"atomic"}}';
    server.answer = (request, response) => json(response, request.body || text);
    const object = await api.get(WEB);
    expect(object).toMatchObject({ spec: { big: 9223372036854775807n } });
    await api.replace(WEB, object ?? {});
    expect(server.requests[1]?.body).toBe(text);
  });

  it('are addressed by group, version, resource, namespace and name, with the field manager', async () => {
    await api.get(WEB);
    await api.get({ ...WEB, group: '', resource: 'pods' });
    await api.create(WEB, {});
    await api.create(WIDGET, {});
    await api.replace(WIDGET, {});
    expect(lines()).toEqual([
      'GET /apis/apps/v1/namespaces/default/deployments/web',
      'GET /api/v1/namespaces/default/pods/web',
      'POST /apis/apps/v1/namespaces/default/deployments?fieldManager=starfold',
      'POST /apis/example.com/v1/widgets?fieldManager=starfold',
      'PUT /apis/example.com/v1/widgets/a%2Fb?fieldManager=starfold',
    ]);
    expect(server.requests[2]?.headers['content-type']).toBe('application/json');
  });

  it('are undefined if there is none', async () => {
    refuse(404, 'deployments.apps "web" not found');
    expect(await api.get(WEB)).toBeUndefined();
  });

  it('are deleted only as they were seen, and being gone is being deleted', async () => {
    await api.delete(WEB, { uid: 'u1', resourceVersion: '5' });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u1', resourceVersion: '5' },
    });
    refuse(404, 'gone');
    await expect(api.delete(WEB, { uid: 'u1', resourceVersion: '5' })).resolves.toBeUndefined();
    refuse(409, 'Precondition failed');
    await expect(api.delete(WEB, { uid: 'u1', resourceVersion: '5' })).rejects.toThrow(
      ApiConflictError,
    );
  });

  it('get labels by a merge patch on their resourceVersion', async () => {
    await api.patchLabels(WEB, { resourceVersion: '5', labels: { a: 'b', gone: null } });
    expect(lines()).toEqual([
      'PATCH /apis/apps/v1/namespaces/default/deployments/web?fieldManager=starfold',
    ]);
    expect(server.requests[0]?.headers['content-type']).toBe('application/merge-patch+json');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      metadata: { resourceVersion: '5', labels: { a: 'b', gone: null } },
    });
  });
});

describe('a status', () => {
  const resources = [
    { name: 'deployments', kind: 'Deployment', namespaced: true, verbs: [] },
    { name: 'deployments/status', kind: 'Deployment', namespaced: true, verbs: [] },
    { name: 'controllerrevisions', kind: 'ControllerRevision', namespaced: true, verbs: [] },
  ];

  beforeEach(() => {
    server.answer = (request, response) =>
      json(
        response,
        request.line.endsWith('/apis/apps/v1') ? { kind: 'APIResourceList', resources } : {},
      );
  });

  it('is replaced whole, through the status subresource if there is one', async () => {
    await api.replaceStatus(WEB, { resourceVersion: '5', status: { replicas: 1 } });
    await api.replaceStatus(
      { ...WEB, resource: 'controllerrevisions' },
      { resourceVersion: '6', status: null },
    );
    expect(lines()).toEqual([
      'GET /apis/apps/v1',
      'PATCH /apis/apps/v1/namespaces/default/deployments/web/status?fieldManager=starfold',
      'PATCH /apis/apps/v1/namespaces/default/controllerrevisions/web?fieldManager=starfold',
    ]);
    const [, first, second] = server.requests;
    expect(first?.headers['content-type']).toBe('application/json-patch+json');
    expect(JSON.parse(first?.body ?? '')).toEqual([
      { op: 'replace', path: '/metadata/resourceVersion', value: '5' },
      { op: 'add', path: '/status', value: { replicas: 1 } },
    ]);
    expect(JSON.parse(second?.body ?? '')[1]).toEqual({ op: 'add', path: '/status', value: null });
  });

  it('of a group version that is not served cannot be replaced', async () => {
    refuse(404, '404 page not found');
    await expect(api.replaceStatus(WEB, { resourceVersion: '5', status: {} })).rejects.toThrow(
      ApiNotFoundError,
    );
  });
});

describe('what an API server rejects', () => {
  it.each([
    [400, ApiInvalidError],
    [401, ApiForbiddenError],
    [403, ApiForbiddenError],
    [404, ApiNotFoundError],
    [405, ApiInvalidError],
    [408, ApiUnavailableError],
    [409, ApiConflictError],
    [413, ApiInvalidError],
    [422, ApiInvalidError],
    [429, ApiUnavailableError],
    [500, ApiUnavailableError],
    [503, ApiUnavailableError],
    [302, ApiUnavailableError],
  ])('with %i is named, with the operation and its own words', async (code, type) => {
    refuse(code, 'because I say so');
    const error = await api.replace(WEB, {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(type);
    expect(String(error)).toContain('replace deployments.apps/v1 default/web');
    expect(String(error)).toContain('because I say so');
  });

  it('keeps the text of a rejection that is not a Status, cut to a bounded length', async () => {
    server.answer = (_request, response) => {
      response.writeHead(502);
      response.end(`<html>bad gateway${'!'.repeat(100_000)}`);
    };
    const error = await api.get(WEB).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('<html>bad gateway');
    expect(String(error).length).toBeLessThan(3000);
  });

  it.each([
    { by: 'the header', headers: { 'Retry-After': '7' }, expected: 7 },
    { by: 'the body', details: { retryAfterSeconds: 3 }, expected: 3 },
    { by: 'neither', expected: undefined },
    { by: 'a header beyond all bounds', headers: { 'Retry-After': '1e300' }, expected: 300 },
    { by: 'a body beyond all bounds', details: { retryAfterSeconds: 1e12 }, expected: 300 },
    {
      by: 'a header that is a date, which is not read',
      headers: { 'Retry-After': 'Wed, 21 Oct 2026 07:28:00 GMT' },
      expected: undefined,
    },
  ])('says by $by when to come again', async ({ headers, details, expected }) => {
    server.answer = (_request, response) => {
      for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
      json(response, { kind: 'Status', message: 'busy', details }, 429);
    };
    const error = await api.get(WEB).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'api-unavailable', retryAfterSeconds: expected });
  });
});

describe('an API server that cannot be reached', () => {
  it('does not answer in time', async () => {
    server.answer = () => undefined;
    api = createKubernetesApi(server.kubeConfig(), { ...OPTIONS, requestTimeoutMs: 50 });
    await expect(api.get(WEB)).rejects.toThrow(noAnswer(50));
  });

  it('stops within its answer', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"a":');
      setImmediate(() => response.destroy());
    };
    await expect(api.get(WEB)).rejects.toThrow(ApiUnavailableError);
  });

  it('is not there', async () => {
    const kubeConfig = server.kubeConfig();
    await server.close();
    api = createKubernetesApi(kubeConfig, OPTIONS);
    await expect(api.get(WEB)).rejects.toThrow(/ECONNREFUSED/);
  });

  it.each(['<html>hello</html>', '[]', '"x"'])(
    'is something else that answers %s',
    async (body) => {
      server.answer = (_request, response) => json(response, body);
      await expect(api.get(WEB)).rejects.toThrow(ApiUnavailableError);
    },
  );

  it('is not waited for when the caller aborts', async () => {
    server.answer = () => undefined;
    const aborting = new AbortController();
    const pending = api.get(WEB, aborting.signal);
    setTimeout(() => aborting.abort(), 20);
    await expect(pending).rejects.toThrow(ABORTED);
    await expect(api.get(WEB, aborting.signal)).rejects.toThrow(ABORTED);
  });
});

describe('a connection', () => {
  it('is kept open and used again', async () => {
    for (let n = 0; n < 3; n += 1) await api.get(WEB);
    expect(new Set(server.requests.map(({ port }) => port)).size).toBe(1);
  });

  it('carries the token of the user', async () => {
    api = createKubernetesApi(server.kubeConfig({ token: 't0ken' }), OPTIONS);
    await api.get(WEB);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer t0ken');
  });

  it('carries the user name and password', async () => {
    api = createKubernetesApi(server.kubeConfig({ username: 'u', password: 'p' }), OPTIONS);
    await api.get(WEB);
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('u:p')}`);
  });

  it('carries the token that an exec plugin gives', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'fresh' },
    };
    const exec = {
      command: process.execPath,
      args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
    };
    api = createKubernetesApi(server.kubeConfig({ exec }), OPTIONS);
    await api.get(WEB);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer fresh');
  });

  it('is rejected, with the reason, when an exec plugin fails', async () => {
    const exec = {
      command: process.execPath,
      args: ['-e', 'console.error("log in first"); process.exit(1)'],
    };
    api = createKubernetesApi(server.kubeConfig({ exec }), OPTIONS);
    const error = await api.get(WEB).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiForbiddenError);
    expect(String(error)).toContain(noCredentials('tester', 'log in first'));
  });

  it('is not waited for when an exec plugin hangs', async () => {
    const exec = { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 2000)'] };
    const options = { ...OPTIONS, requestTimeoutMs: 50 };
    api = createKubernetesApi(server.kubeConfig({ exec }), options);
    await expect(api.get(WEB)).rejects.toThrow(noAnswer(50));
  });

  it('goes to the cluster of the context that is asked for', async () => {
    const other = await startHttpApiServer();
    const kubeConfig = server.kubeConfig();
    kubeConfig.addCluster({ name: 'other', server: `${other.url}/below`, skipTLSVerify: true });
    kubeConfig.addContext({ name: 'other', cluster: 'other', user: 'tester' });
    await createKubernetesApi(kubeConfig, { ...OPTIONS, context: 'other' }).get(WEB);
    expect(other.requests.map(({ line }) => line)).toEqual([
      'GET /below/apis/apps/v1/namespaces/default/deployments/web',
    ]);
    expect(kubeConfig.getCurrentContext()).toBe('test');
    await other.close();
  });

  it('cannot be made for a context without a cluster', () => {
    expect(() => createKubernetesApi(server.kubeConfig(), { ...OPTIONS, context: 'none' })).toThrow(
      /no cluster/,
    );
  });
});
