import { beforeEach, describe, expect, it } from 'vitest';
import { createServeApi, type ServeApiHandler } from '#functions/serve-api/lambda.ts';
import {
  INTERNAL_ERROR,
  INVALID_CURSOR,
  INVALID_UPSTREAM,
  invalidLimit,
  invalidState,
  nothingAt,
  notListed,
  notUrlEncoded,
  ONLY_GET,
  STORE_UNAVAILABLE,
  unknownObject,
  unknownParameter,
  unknownUpstream,
} from '#functions/serve-api/messages.ts';
import type { ServeApiDeps } from '#functions/serve-api/use-case.ts';
import { BUNDLE_STATES } from '#shared/core/fleet/bundle-state.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { FLEET_GROUP } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { namesFault } from '#shared/core/names.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { markListed } from '#shared/state/fleet/listed.ts';
import { putSilence } from '#shared/state/silence.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createObservedOutput, type ObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { type Given, putDeployments, rowOf, speak, subjectAt, UPSTREAM } from './fleet-state.ts';
import { type Answer, ask } from './request.ts';

const BUNDLE = `/v1/fleet/${UPSTREAM}/bundles/fleet-default/web/deployments`;
const DIFFERENCES = `/v1/fleet/${UPSTREAM}/differences`;
const BASE: Given = { bundle: 'fleet-default/web', cluster: 'fleet-default/edge1' };
const RESOURCE = [
  'x',
  {
    ref: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
    state: 'NotReady',
    error: false,
    transitioning: true,
    message: '1/2 available',
  },
] as const;

let store: ItemStore;
let output: ObservedOutput;

function api(more: Partial<ServeApiDeps> = {}): ServeApiHandler {
  return createServeApi({ store, ...more }, output.observability);
}

beforeEach(async () => {
  store = createMemoryItemStore();
  output = createObservedOutput({ service: 'serve-api' });
  await speak(store);
});

function put(...given: readonly Given[]): Promise<void> {
  return putDeployments(store, given.map(rowOf));
}

function edges(count: number, more: Partial<DeploymentRow> = {}): readonly Given[] {
  return Array.from({ length: count }, (_, index) => ({
    ...BASE,
    cluster: `fleet-default/edge${index}`,
    ...more,
  }));
}

/** The entries of all pages, and how many pages there were. */
async function walk(
  url: string,
  { member = 'deployments', handler = api() } = {},
): Promise<{ readonly entries: readonly JsonObject[]; readonly pages: readonly Answer[] }> {
  const pages: Answer[] = [];
  let cursor: unknown;
  do {
    const separator = url.includes('?') ? '&' : '?';
    const page = await ask(
      handler,
      cursor === undefined ? url : `${url}${separator}cursor=${cursor}`,
    );
    expect(page.status).toBe(200);
    pages.push(page);
    cursor = page.body['cursor'];
  } while (cursor !== undefined);
  const entries = pages.flatMap(({ body }) => body[member] as readonly JsonObject[]);
  return { entries, pages };
}

describe('the BundleDeployments of a Bundle', () => {
  it('are listed with their states, messages, counts and resources', async () => {
    const counts = { ...rowOf(BASE).counts, ready: 1, notReady: 1, desiredReady: 2 };
    await put({
      ...BASE,
      repo: 'fleet-default/shop',
      state: 'NotReady',
      message: 'waits',
      counts,
      resources: [RESOURCE],
    });
    const answer = await ask(api(), BUNDLE);
    expect(answer.headers).toEqual({ ...SECURITY_HEADERS, 'content-type': 'application/json' });
    expect(answer.body).toEqual({
      deployments: [
        {
          namespace: 'cluster-edge1',
          name: 'web',
          cluster: 'fleet-default/edge1',
          bundle: 'fleet-default/web',
          gitRepo: 'fleet-default/shop',
          state: 'NotReady',
          message: 'waits',
          counts,
          resources: [
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              namespace: 'shop',
              name: 'web',
              state: 'NotReady',
              transitioning: true,
              message: '1/2 available',
            },
          ],
        },
      ],
    });
  });

  it('are counted as in the statuses if an agent is silent', async () => {
    await put({ ...BASE, resources: [RESOURCE] }, { ...BASE, cluster: 'fleet-default/edge2' });
    const silent = { upstream: UPSTREAM, heartbeat: '1', silent: true, notified: true };
    const lastSeen = '2026-11-22T08:00:00Z';
    await putSilence(store, [{ ...silent, name: 'fleet-default/edge1', lastSeen }], 0);
    const { entries } = await walk(`${BUNDLE}?state=NotReady`);
    expect(entries).toMatchObject([
      {
        cluster: 'fleet-default/edge1',
        message: `agent last seen ${lastSeen}`,
        resources: [{ state: 'Unknown' }],
      },
    ]);
  });

  it('come in pages, each of them once, without an empty last one', async () => {
    await put(...edges(10));
    const { entries, pages } = await walk(`${BUNDLE}?limit=5`);
    expect(pages).toHaveLength(2);
    expect(new Set(entries.map(({ cluster }) => cluster)).size).toBe(10);
    expect(entries).toHaveLength(10);
  });

  it('are 100 on a page unless a limit says otherwise', async () => {
    await put(...edges(120));
    const { pages } = await walk(BUNDLE);
    expect(pages.map(({ body }) => (body['deployments'] as readonly unknown[]).length)).toEqual([
      100, 20,
    ]);
  });

  it('of one state are found on later pages', async () => {
    await put(...edges(30), ...edges(40, { state: 'ErrApplied' }).slice(30));
    const { entries } = await walk(`${BUNDLE}?state=ErrApplied&limit=3`);
    expect(entries).toHaveLength(10);
    expect(new Set(entries.map(({ state }) => state))).toEqual(new Set(['ErrApplied']));
  });

  it('of a state that few are in are looked for in several requests', async () => {
    await put(...edges(6_000));
    const { entries, pages } = await walk(`${BUNDLE}?state=Modified`);
    expect(entries).toEqual([]);
    expect(pages).toHaveLength(2);
  });

  it('are cut into answers that are not too large', async () => {
    await put(...edges(10, { message: '"'.repeat(500) }));
    const handler = api({ maxBodyBytes: 8_000 });
    const { entries, pages } = await walk(BUNDLE, { handler });
    expect(entries).toHaveLength(10);
    expect(pages.length).toBeGreaterThan(2);
    for (const { text } of pages)
      expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(8_500);
  });

  it('say how many resources are left out of one that is too large for any answer', async () => {
    const resources = Array.from({ length: 100 }, () => RESOURCE);
    await put({ ...BASE, resources }, { ...BASE, cluster: 'fleet-default/edge2' });
    const handler = api({ maxBodyBytes: 4_000 });
    const { entries } = await walk(BUNDLE, { handler });
    expect(entries).toHaveLength(2);
    const large = entries.find(({ cluster }) => cluster === 'fleet-default/edge1');
    const listed = large?.['resources'] as readonly unknown[];
    expect(listed.length).toBeGreaterThan(0);
    expect(large?.['resourcesLeftOut']).toBe(100 - listed.length);
  });

  it('are none if the Bundle is known and has none', async () => {
    const [own] = [subjectAt('bundles', 'fleet-default/web')];
    await store.put([
      {
        item: {
          pk: `F#${own.upstream}/bundles/fleet-default/web`,
          sk: 'OBJECT',
          version: '1',
          body: '{}',
        },
      },
    ]);
    expect((await ask(api(), BUNDLE)).body).toEqual({ deployments: [] });
  });
});

describe('the BundleDeployments of a Cluster', () => {
  const url = `/v1/fleet/${UPSTREAM}/clusters/fleet-default/edge1/deployments`;

  it('are listed with the resources that exist below their Bundles', async () => {
    await put(
      { ...BASE, resources: [RESOURCE] },
      { ...BASE, bundle: 'fleet-default/db', name: 'db' },
    );
    const { entries } = await walk(`${url}?limit=1`);
    expect(entries).toHaveLength(2);
    expect(entries.find(({ name }) => name === 'web')).toMatchObject({
      resources: [{ name: 'web' }],
    });
  });
});

describe.each([
  ['gitrepos', 'repo', 'gitRepo'],
  ['helmops', 'helmOp', 'helmOp'],
] as const)('the BundleDeployments of %s', (resource, member, shown) => {
  const url = `/v1/fleet/${UPSTREAM}/${resource}/fleet-default/shop/deployments`;
  const below = { [member]: 'fleet-default/shop' };

  it('are those of its Bundles, without others of the same Bundles, from page to page', async () => {
    const bundles = Array.from({ length: 7 }, (_, index) => `fleet-default/b${index}`);
    await put(
      ...bundles.flatMap((bundle) =>
        edges(4, { ...below, name: bundle.slice('fleet-default/'.length) }).map((one) => ({
          ...one,
          bundle,
        })),
      ),
      { ...BASE, bundle: 'fleet-default/b1', name: 'b1', cluster: 'fleet-default/other' },
      { ...BASE, bundle: 'fleet-default/c', name: 'c' },
    );
    const { entries, pages } = await walk(`${url}?limit=3`);
    expect(pages).toHaveLength(10);
    expect(entries).toHaveLength(28);
    expect(new Set(entries.map(({ bundle, cluster }) => `${bundle} ${cluster}`)).size).toBe(28);
    expect(new Set(entries.map((entry) => entry[shown]))).toEqual(new Set(['fleet-default/shop']));
  });

  it('continue with the next Bundle if the one of the cursor was deleted', async () => {
    await put({ ...BASE, ...below }, { ...BASE, ...below, bundle: 'fleet-default/db', name: 'db' });
    const first = await ask(api(), `${url}?limit=1`);
    const [seen] = first.body['deployments'] as readonly JsonObject[];
    const gone = subjectAt(resource, 'fleet-default/shop');
    const pk = `F#${UPSTREAM}/${resource}/${gone.namespace}/${gone.name}`;
    const { items } = await store.query({ pk });
    await store.delete(
      items
        .filter(({ sk }) => sk.includes(`#${String(seen?.['bundle'])}#`))
        .map(({ sk }) => ({ key: { pk, sk } })),
    );
    const rest = await ask(api(), `${url}?limit=5&cursor=${first.body['cursor']}`);
    expect(rest.body['cursor']).toBeUndefined();
    expect((rest.body['deployments'] as readonly JsonObject[]).map(({ bundle }) => bundle)).toEqual(
      ['fleet-default/web', 'fleet-default/db'].filter((bundle) => bundle !== seen?.['bundle']),
    );
  });
});

describe('the differences of a management cluster', () => {
  const differs = (name: string, refused?: string): Promise<void> =>
    putDifferences(store, subjectAt('bundles', `fleet-default/${name}`), {
      revision: 1,
      nowMs: Date.UTC(2026, 10, 22, 10),
      total: 1,
      differences: [{ field: 'status.summary.ready', fleet: '2', starfold: null }],
      ...(refused === undefined ? {} : { refused }),
    });

  it('name each object, since when it differs, both values, and what was rejected', async () => {
    await differs('web', 'status.summary: Invalid value');
    expect((await ask(api(), DIFFERENCES)).body).toEqual({
      complete: false,
      objects: [
        {
          resource: 'bundles',
          kind: 'Bundle',
          namespace: 'fleet-default',
          name: 'web',
          since: '2026-11-22T10:00:00.000Z',
          total: 1,
          differences: [{ field: 'status.summary.ready', fleet: '2', starfold: null }],
          refused: 'status.summary: Invalid value',
        },
      ],
    });
  });

  it('say on each page, first of all, whether the management cluster has been read completely', async () => {
    expect((await ask(api(), DIFFERENCES)).text).toBe('{"complete":false,"objects":[]}');
    await markListed(store, UPSTREAM, { epoch: 1, sequence: 1 });
    for (const name of ['a', 'b', 'c']) await differs(name);
    const { pages } = await walk(`${DIFFERENCES}?limit=2`, { member: 'objects' });
    expect(pages.map(({ body }) => body['complete'])).toEqual([true, true]);
    for (const { text } of pages) expect(text).toMatch(/^\{"complete":true,"objects":\[/);
  });

  it('come in pages, each object once', async () => {
    for (let index = 0; index < 60; index += 1) await differs(`b${index}`);
    const { entries, pages } = await walk(`${DIFFERENCES}?limit=30`, { member: 'objects' });
    expect(pages).toHaveLength(2);
    expect(new Set(entries.map(({ name }) => name)).size).toBe(60);
    const small = await walk(DIFFERENCES, {
      member: 'objects',
      handler: api({ maxBodyBytes: 4_000 }),
    });
    expect(small.pages.length).toBeGreaterThan(2);
    expect(small.entries).toEqual(entries);
  });
});

describe('a request that cannot be served', () => {
  const PATHS = [
    '/v1/fleet/{upstream}/differences',
    '/v1/fleet/{upstream}/{resource}/{namespace}/{name}/deployments',
  ];
  const LISTED = ['bundles', 'clusters', 'gitrepos', 'helmops'];
  const STATES = BUNDLE_STATES.filter((state) => state !== 'Pending');
  const INVALID_NAMESPACE = namesFault({
    ...{ wds: UPSTREAM, group: FLEET_GROUP, resource: 'bundles' },
    ...{ namespace: 'Fleet_Default', name: 'web' },
  });

  it.each([
    [404, '/', nothingAt(PATHS)],
    [404, '/v1/fleet/rancher2/differences', unknownUpstream('rancher2')],
    [404, '/v1/fleet/rancher2/bundles/a/b/deployments', unknownUpstream('rancher2')],
    [404, BUNDLE, unknownObject(subjectAt('bundles', 'fleet-default/web'))],
    [404, BUNDLE.replace('bundles', 'clustergroups'), notListed('clustergroups', LISTED)],
    [404, BUNDLE.replace('bundles', 'constructor'), notListed('constructor', LISTED)],
    [405, `POST ${DIFFERENCES}`, ONLY_GET],
    [405, `DELETE ${BUNDLE}`, ONLY_GET],
    [400, `${DIFFERENCES}?limit=0`, invalidLimit(500)],
    [400, `${DIFFERENCES}?limit=501`, invalidLimit(500)],
    [400, `${DIFFERENCES}?limit=1e2`, invalidLimit(500)],
    [400, `${DIFFERENCES}?state=Ready`, unknownParameter('state', ['limit', 'cursor'])],
    [400, `${BUNDLE}?state=ready`, invalidState(STATES)],
    [400, `${BUNDLE}?state=Pending`, invalidState(STATES)],
    [400, `${DIFFERENCES}?cursor=x`, INVALID_CURSOR],
    [400, `${DIFFERENCES}?cursor=${'x'.repeat(5_000)}`, INVALID_CURSOR],
    [400, '/v1/fleet/%ZZ/differences', notUrlEncoded('upstream')],
    [400, '/v1/fleet/a%2Fb/differences', INVALID_UPSTREAM],
    [400, BUNDLE.replace('fleet-default', 'Fleet_Default'), INVALID_NAMESPACE],
  ])('is answered with %s and a problem: %s', async (status, request, detail) => {
    const [url = '', method] = request.split(' ').reverse();
    const answer = await ask(api(), url, method);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      ...SECURITY_HEADERS,
      'content-type': 'application/problem+json',
    });
    expect(answer.body).toMatchObject({ type: 'about:blank', status });
    expect(answer.body['title']).toMatch(/./);
    expect(answer.body['detail']).toBe(detail);
  });

  it('names the method that there is', async () => {
    expect((await ask(api(), DIFFERENCES, 'PUT')).headers).toMatchObject({ allow: 'GET' });
  });

  it.each([
    { after: 'CLUSTER#1' },
    { group: 'BUNDLE#1' },
    { after: '' },
    { after: 1 },
    { after: 'BUNDLE#1', more: 1 },
    ['BUNDLE#1'],
    null,
  ])('has a cursor of another list, or none: %j', async (place) => {
    const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
    const url = `/v1/fleet/${UPSTREAM}/clusters/fleet-default/edge1/deployments?cursor=${cursor}`;
    expect(await ask(api(), url)).toMatchObject({ status: 400 });
  });

  it('is asked to retry while the table does not answer, which is counted', async () => {
    const query = (): never => {
      throw new StoreUnavailableError('query');
    };
    const answer = await ask(api({ store: { ...store, query } }), DIFFERENCES);
    expect(answer).toMatchObject({
      ...{ status: 503, headers: { 'retry-after': '5' } },
      body: { detail: STORE_UNAVAILABLE },
    });
    expect(output.lines()).toContainEqual(expect.objectContaining({ RetryableFailures: 1 }));
  });

  it('is shown no internals when the function fails; the log has them', async () => {
    const query = (): never => {
      throw new TypeError('secret of the inside');
    };
    const answer = await ask(api({ store: { ...store, query } }), DIFFERENCES);
    expect(answer.status).toBe(500);
    expect(answer.body['detail']).toBe(INTERNAL_ERROR);
    expect(answer.text).not.toMatch(/secret|\.ts/);
    expect(JSON.stringify(output.lines())).toContain('secret of the inside');
    expect(output.lines()).toContainEqual(expect.objectContaining({ TerminalFailures: 1 }));
  });
});
