import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { ABORTED } from '#shared/adapters/kubernetes/messages.ts';
import {
  ApiForbiddenError,
  ApiNotFoundError,
  ApiUnavailableError,
  ResourceExpiredError,
} from '#shared/errors.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

let server: HttpApiServer;
let api: ObjectApi & ResourceApi;

function create(watch: { minSeconds?: number; maxSeconds?: number; graceMs?: number } = {}): void {
  api = createKubernetesApi(server.kubeConfig(), {
    requestTimeoutMs: 5000,
    fieldManager: 'starfold',
    pageSize: 2,
    watch: { random: () => 0.5, ...watch },
  });
}

beforeEach(async () => {
  server = await startHttpApiServer();
  create();
});

afterEach(() => server.close());

function lines(): string[] {
  return server.requests.map(({ line }) => line);
}

function status(code: number): object {
  return { kind: 'Status', status: 'Failure', message: `refused with ${code}`, code };
}

describe('a list', () => {
  const page = (names: readonly string[], metadata: object): object => ({
    kind: 'DeploymentList',
    apiVersion: 'apps/v1',
    metadata,
    items: names.map((name) => ({ metadata: { name } })),
  });

  it('is read in pages, and gives each item the type that the server left out', async () => {
    server.answer = (request, response) =>
      json(
        response,
        request.line.includes('continue=')
          ? page(['c'], { resourceVersion: '11' })
          : page(['a', 'b'], { resourceVersion: '10', continue: 'next/page=' }),
      );
    const list = await api.list(DEPLOYMENTS, { labelSelector: 'a in (b,c)' });
    expect(lines()).toEqual([
      'GET /apis/apps/v1/deployments?limit=2&labelSelector=a+in+%28b%2Cc%29',
      'GET /apis/apps/v1/deployments?limit=2&continue=next%2Fpage%3D&labelSelector=a+in+%28b%2Cc%29',
    ]);
    expect(list.resourceVersion).toBe('10');
    expect(list.items).toEqual(
      ['a', 'b', 'c'].map((name) => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
      })),
    );
  });

  it('keeps the type that an item has', async () => {
    const item = { apiVersion: 'example.com/v2', kind: 'Odd', metadata: { name: 'a' } };
    server.answer = (_request, response) =>
      json(response, { ...page([], { resourceVersion: '1', continue: '' }), items: [item] });
    expect((await api.list(DEPLOYMENTS, {})).items).toEqual([item]);
  });

  it('may be empty, and its items null', async () => {
    server.answer = (_request, response) =>
      json(response, { metadata: { resourceVersion: '1' }, items: null });
    expect(await api.list(DEPLOYMENTS, {})).toEqual({ resourceVersion: '1', items: [] });
  });

  it.each([
    [404, ApiNotFoundError],
    [405, ApiNotFoundError],
    [410, ResourceExpiredError],
    [403, ApiForbiddenError],
    [503, ApiUnavailableError],
  ])('that is rejected with %i fails with that error', async (code, type) => {
    server.answer = (_request, response) => json(response, status(code), code);
    await expect(api.list(DEPLOYMENTS, {})).rejects.toThrow(type);
  });

  it('without a resourceVersion is not a list', async () => {
    await expect(api.list(DEPLOYMENTS, {})).rejects.toThrow(/without metadata.resourceVersion/);
  });
});

describe('discovery', () => {
  const verbs = ['get', 'list', 'watch'];
  const aggregated = (name: string, versions: readonly object[]): object => ({
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    items: [{ metadata: { name }, versions }],
  });
  const found = [
    {
      group: '',
      version: 'v1',
      resource: 'pods',
      kind: 'Pod',
      namespaced: true,
      statusSubresource: true,
    },
    {
      group: 'batch',
      version: 'v1',
      resource: 'jobs',
      kind: 'Job',
      namespaced: true,
      statusSubresource: false,
      otherVersions: ['v1beta1'],
    },
    {
      group: 'batch',
      version: 'v1beta1',
      resource: 'nodes',
      kind: 'Old',
      namespaced: false,
      statusSubresource: false,
    },
  ];

  it('asks once for each root if the server offers the aggregated form', async () => {
    server.answer = (request, response) =>
      json(
        response,
        request.line.endsWith('/api')
          ? aggregated('', [
              {
                version: 'v1',
                resources: [
                  {
                    resource: 'pods',
                    responseKind: { kind: 'Pod' },
                    scope: 'Namespaced',
                    verbs,
                    subresources: [{ subresource: 'log' }, { subresource: 'status' }],
                  },
                  {
                    resource: 'bindings',
                    responseKind: { kind: 'Binding' },
                    scope: 'Namespaced',
                    verbs: ['create'],
                  },
                ],
              },
            ])
          : aggregated('batch', [
              {
                version: 'v1',
                resources: [
                  { resource: 'jobs', responseKind: { kind: 'Job' }, scope: 'Namespaced', verbs },
                ],
              },
              {
                version: 'v1beta1',
                resources: [
                  { resource: 'jobs', responseKind: { kind: 'Job' }, scope: 'Namespaced', verbs },
                  { resource: 'nodes', responseKind: { kind: 'Old' }, scope: 'Cluster', verbs },
                ],
              },
            ]),
      );
    expect(await api.discover()).toEqual({ resources: found, unanswered: [] });
    expect(lines()).toEqual(['GET /api', 'GET /apis']);
    expect(server.requests[0]?.headers.accept).toMatch(
      /^application\/json;g=apidiscovery.k8s.io;v=v2;/,
    );
  });

  it('says of which groups the aggregated form is stale', async () => {
    server.answer = (request, response) =>
      json(
        response,
        request.line.endsWith('/api')
          ? aggregated('', [])
          : aggregated('metrics.k8s.io', [{ version: 'v1beta1', freshness: 'Stale' }]),
      );
    expect(await api.discover()).toEqual({ resources: [], unanswered: ['metrics.k8s.io'] });
  });

  /** A server that knows only lists; `down` are group versions that answer so. */
  function listing(down: Readonly<Record<string, number>> = {}): void {
    const job = { name: 'jobs', kind: 'Job', namespaced: true, verbs };
    const answers: Readonly<Record<string, object>> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/api/v1': {
        kind: 'APIResourceList',
        resources: [
          { name: 'pods', kind: 'Pod', namespaced: true, verbs },
          { name: 'pods/status', kind: 'Pod', namespaced: true, verbs },
          { name: 'bindings', kind: 'Binding', namespaced: true, verbs: ['create'] },
        ],
      },
      '/apis': {
        kind: 'APIGroupList',
        groups: [
          {
            name: 'batch',
            preferredVersion: { version: 'v1' },
            versions: [{ version: 'v1beta1' }, { version: 'v1' }],
          },
          { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] },
        ],
      },
      '/apis/batch/v1': { kind: 'APIResourceList', resources: [job] },
      '/apis/batch/v1beta1': {
        kind: 'APIResourceList',
        resources: [job, { name: 'nodes', kind: 'Old', namespaced: false, verbs }],
      },
      '/apis/metrics.k8s.io/v1beta1': { kind: 'APIResourceList', resources: [] },
    };
    server.answer = ({ line }, response) => {
      const path = line.slice('GET '.length);
      const code = down[path];
      if (code !== undefined) json(response, status(code), code);
      else json(response, answers[path] ?? status(404), answers[path] === undefined ? 404 : 200);
    };
  }

  it('reads the lists of all versions elsewhere, the preferred version of a group first', async () => {
    listing();
    expect(await api.discover()).toEqual({ resources: found, unanswered: [] });
  });

  it.each([503, 404])(
    'continues when the server of one group answers %i, and says which',
    async (code) => {
      listing({ '/apis/metrics.k8s.io/v1beta1': code });
      expect(await api.discover()).toEqual({ resources: found, unanswered: ['metrics.k8s.io'] });
    },
  );

  it('fails when it is aborted, whatever it has found by then', async () => {
    listing();
    const { answer } = server;
    const aborting = new AbortController();
    server.answer = (request, response) =>
      request.line.endsWith('/apis/metrics.k8s.io/v1beta1')
        ? aborting.abort()
        : answer(request, response);
    await expect(api.discover(aborting.signal)).rejects.toThrow(ABORTED);
  });

  it.each([
    ['/apis', 503, ApiUnavailableError],
    ['/apis/batch/v1', 403, ApiForbiddenError],
  ])('fails when %s answers %i', async (path, code, type) => {
    listing({ [path]: code });
    await expect(api.discover()).rejects.toThrow(type);
  });
});
