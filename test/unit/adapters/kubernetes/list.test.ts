import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { ResourceExpiredError } from '#shared/errors.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const PAGE_SIZE = 2;

let server: HttpApiServer;
let api: ResourceApi;

beforeEach(async () => {
  server = await startHttpApiServer();
  api = createKubernetesApi(server.kubeConfig(), {
    requestTimeoutMs: 5000,
    fieldManager: 'starfold',
    pageSize: PAGE_SIZE,
  });
});

afterEach(() => server.close());

const lines = (): string[] => server.requests.map(({ line }) => line);
const nameOf = (object: JsonObject): unknown => at(object, 'metadata', 'name');

/** Page `index` of a list of this length, as an API server gives it. */
function page(index: number, length: number): object {
  const from = index * PAGE_SIZE;
  const to = Math.min(length, from + PAGE_SIZE);
  return {
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '10', ...(to < length ? { continue: String(index + 1) } : {}) },
    items: Array.from({ length: to - from }, (_, at) => ({
      metadata: { name: `c${from + at}` },
      data: { text: 'x'.repeat(100) },
    })),
  };
}

/** Answers with the pages of a list of this length; returns which page a request asks for. */
function serve(length: number): void {
  server.answer = ({ line }, response) =>
    json(response, page(Number(/continue=(\d+)/.exec(line)?.[1] ?? 0), length));
}

it('a list is read in pages of another size if its objects are large', async () => {
  serve(1);
  await api.list(CONFIG_MAPS, { pageSize: 7 });
  await api.list(CONFIG_MAPS, {});
  expect(lines().map((line) => /limit=(\d+)/.exec(line)?.[1])).toEqual(['7', String(PAGE_SIZE)]);
});

it('a list is reduced page by page, each before the next one is asked for', async () => {
  serve(5);
  const steps: unknown[] = [];
  const { answer } = server;
  server.answer = (request, response) => {
    steps.push('page');
    return answer(request, response);
  };
  const reduce = (object: JsonObject): JsonObject => {
    steps.push(nameOf(object));
    expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: {} });
    return { name: String(nameOf(object)) };
  };
  const { items, resourceVersion } = await api.list(CONFIG_MAPS, { reduce });
  expect(steps).toEqual(['page', 'c0', 'c1', 'page', 'c2', 'c3', 'page', 'c4']);
  expect(items).toEqual(['c0', 'c1', 'c2', 'c3', 'c4'].map((name) => ({ name })));
  expect(resourceVersion).toBe('10');
});

it('a list passes on what reduce throws, and asks for no further page', async () => {
  serve(5);
  const fault = new TypeError('a fault of the caller');
  const reduce = (): JsonObject => {
    throw fault;
  };
  await expect(api.list(CONFIG_MAPS, { reduce })).rejects.toBe(fault);
  expect(lines()).toHaveLength(1);
});

it('a list of metadata alone is asked for as such, and its items are what the server gives', async () => {
  server.answer = (_request, response) =>
    json(response, {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '1' },
      items: [{ metadata: { name: 'a' } }],
    });
  const { items } = await api.list(CONFIG_MAPS, { metadataOnly: true });
  expect(items).toEqual([
    { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
  ]);
  await api.list(CONFIG_MAPS, {});
  expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    'application/json',
  ]);
});

it('a list of metadata is one of whole objects if the server answers 406', async () => {
  serve(3);
  const { answer } = server;
  server.answer = (request, response) =>
    request.headers.accept === 'application/json'
      ? answer(request, response)
      : json(response, { kind: 'Status', message: 'not acceptable', code: 406 }, 406);
  const { items } = await api.list(CONFIG_MAPS, { metadataOnly: true });
  expect(items.map((item) => [item['kind'], nameOf(item)])).toEqual([
    ['ConfigMap', 'c0'],
    ['ConfigMap', 'c1'],
    ['ConfigMap', 'c2'],
  ]);
});

it('a server that also answers 406 to plain JSON is not asked forever', async () => {
  server.answer = (_request, response) => json(response, { message: 'not acceptable' }, 406);
  await expect(api.list(CONFIG_MAPS, { metadataOnly: true })).rejects.toThrow(/not acceptable/);
  expect(lines()).toHaveLength(2);
});

it('a page that expires in the middle ends the list, and a new one begins at the first page', async () => {
  serve(5);
  const { answer } = server;
  const expired = { kind: 'Status', reason: 'Expired', code: 410 };
  server.answer = (request, response) =>
    request.line.includes('continue=2')
      ? json(response, { ...expired, metadata: { continue: '9' } }, 410)
      : answer(request, response);
  const reduced: unknown[] = [];
  const reduce = (object: JsonObject): JsonObject => {
    reduced.push(nameOf(object));
    return object;
  };
  await expect(api.list(CONFIG_MAPS, { reduce })).rejects.toThrow(ResourceExpiredError);
  expect(reduced).toEqual(['c0', 'c1', 'c2', 'c3']);
  server.answer = answer;
  const { items } = await api.list(CONFIG_MAPS, {});
  expect(items.map(nameOf)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
  expect(lines().map((line) => line.split('limit=2')[1])).toEqual([
    ...['', '&continue=1', '&continue=2'],
    ...['', '&continue=1', '&continue=2'],
  ]);
});

it('a list has the time of the next attempt if flow control rejects a page of it', async () => {
  serve(5);
  const { answer } = server;
  server.answer = (request, response) => {
    if (!request.line.includes('continue=1')) return answer(request, response);
    response.writeHead(429, { 'Retry-After': '7', 'Content-Type': 'text/plain' });
    response.end('Too many requests, please try again later.\n');
  };
  await expect(api.list(CONFIG_MAPS, {})).rejects.toMatchObject({
    code: 'api-unavailable',
    status: 429,
    retryAfterSeconds: 7,
    reason: 'Too many requests, please try again later. (429)',
  });
});
