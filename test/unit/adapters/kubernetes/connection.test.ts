import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { ApiForbiddenError, ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

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
])('a refusal by $code says whether other credentials may help', async ({ code, ...expected }) => {
  server.answer = (_request, response) => json(response, { message: 'no' }, code);
  const error = await api.get(WEB).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiForbiddenError);
  expect(error).toMatchObject({ ...expected, reason: 'no' });
});

it('credentials that cannot be had are like ones that are not known', async () => {
  const user = { certFile: '/no/such/file', keyFile: '/no/such/file' };
  api = createKubernetesApi(server.kubeConfig(user), OPTIONS);
  await expect(api.get(WEB)).rejects.toMatchObject({ unauthenticated: true });
});

it('a failure carries the status code that was answered', async () => {
  server.answer = (_request, response) => json(response, {}, 502);
  await expect(api.get(WEB)).rejects.toMatchObject({ status: 502 });
});
