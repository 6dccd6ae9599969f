import { Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { ApiForbiddenError, ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';
import { startHttpProxy } from '#test/fakes/http-proxy.ts';

const OPTIONS = { requestTimeoutMs: 5000, fieldManager: 'starfold' };
const WEB = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'web' };

let server: HttpApiServer;
let api: ObjectApi;

beforeEach(async () => {
  server = await startHttpApiServer();
  api = createKubernetesApi(server.kubeConfig(), OPTIONS);
});

afterEach(() => server.close());

it('a request goes out again when the connection that was kept for it has been closed', async () => {
  await api.get(WEB);
  const kept = server.requests[0]?.port;
  server.answer = ({ port }, response) => {
    if (port === kept) response.destroy();
    else json(response, { replaced: true });
  };
  expect(await api.replace(WEB, { data: {} })).toEqual({ replaced: true });
  const again = server.requests.slice(1);
  expect(again.map(({ line, body }) => [line, body])).toEqual([
    ['PUT /api/v1/namespaces/default/configmaps/web?fieldManager=starfold', '{"data":{}}'],
    ['PUT /api/v1/namespaces/default/configmaps/web?fieldManager=starfold', '{"data":{}}'],
  ]);
});

it('a request does not go out again when a new connection is closed', async () => {
  server.answer = (_request, response) => {
    response.destroy();
  };
  await expect(api.get(WEB)).rejects.toThrow(ApiUnavailableError);
  expect(server.requests).toHaveLength(1);
});

it('a request does not go out again once its answer has begun', async () => {
  await api.get(WEB);
  server.answer = (_request, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{"a":');
    setImmediate(() => response.socket?.resetAndDestroy());
  };
  await expect(api.get(WEB)).rejects.toThrow(ApiUnavailableError);
  server.answer = (_request, response) => json(response, {});
  await api.get({ ...WEB, name: 'last' });
  expect(server.requests.map(({ line }) => line.split('/').at(-1))).toEqual(['web', 'web', 'last']);
});

it('a connection that is not used is closed after its idle timeout', async () => {
  api = createKubernetesApi(server.kubeConfig(), { ...OPTIONS, idleTimeoutMs: 10 });
  let closed: Promise<void> | undefined;
  server.answer = (_request, response) => {
    closed = new Promise((resolve) => response.socket?.on('close', () => resolve()));
    json(response, {});
  };
  await api.get(WEB);
  await closed;
  await api.get(WEB);
  expect(new Set(server.requests.map(({ port }) => port)).size).toBe(2);
});

it('a connection that waits for a slow answer is not ended by its idle timeout', async () => {
  api = createKubernetesApi(server.kubeConfig(), { ...OPTIONS, idleTimeoutMs: 10 });
  server.answer = (_request, response) => void setTimeout(() => json(response, { a: 'b' }), 60);
  expect(await api.get(WEB)).toEqual({ a: 'b' });
  expect(server.requests).toHaveLength(1);
});

it.each([
  { code: 401, unauthenticated: true },
  { code: 403, unauthenticated: false },
])(
  'a rejection by $code says whether other credentials may help',
  async ({ code, ...expected }) => {
    server.answer = (_request, response) => json(response, { message: 'no' }, code);
    const error = await api.get(WEB).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiForbiddenError);
    expect(error).toMatchObject({ ...expected, reason: 'no' });
  },
);

it('credentials that cannot be had are like ones that are not known', async () => {
  const user = { certFile: '/no/such/file', keyFile: '/no/such/file' };
  api = createKubernetesApi(server.kubeConfig(user), OPTIONS);
  await expect(api.get(WEB)).rejects.toMatchObject({ unauthenticated: true });
});

it('a failure carries the status code that was answered', async () => {
  server.answer = (_request, response) => json(response, {}, 502);
  await expect(api.get(WEB)).rejects.toMatchObject({ status: 502 });
});

describe('a quiet connection', () => {
  const told = vi.spyOn(Socket.prototype, 'setKeepAlive');

  beforeEach(() => void told.mockClear());
  afterAll(() => told.mockRestore());

  it('is asked by the kernel after 30 s whether it still stands, in use and kept', async () => {
    await api.get(WEB);
    await api.get(WEB);
    expect(told).toHaveBeenCalled();
    expect(new Set(told.mock.calls.map(([, ms]) => ms))).toEqual(new Set([30_000]));
  });

  it('is asked so through a proxy too', async () => {
    const { host, port } = new URL(server.url);
    await using proxy = await startHttpProxy(Number(port));
    const kubeConfig = new KubeConfig();
    const direct = server.kubeConfig();
    kubeConfig.loadFromOptions({
      clusters: direct.getClusters().map((one) => ({ ...one, proxyUrl: proxy.url })),
      users: direct.getUsers(),
      contexts: direct.getContexts(),
      currentContext: direct.getCurrentContext(),
    });
    await createKubernetesApi(kubeConfig, OPTIONS).get(WEB);
    expect(proxy.asked).toEqual([`CONNECT ${host}`]);
    expect(told).toHaveBeenCalledWith(true, 30_000);
  });
});
