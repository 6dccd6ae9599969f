import { describe, expect, it } from 'vitest';
import {
  accessForbidden,
  invalidObject,
  leftOut,
  placesOfUserTaken,
  placesTaken,
} from '#shared/api/messages.ts';
import {
  CONTINUE_OF_OTHER,
  CREATE_CLUSTER_QUERY,
  CREATE_NAMESPACED_QUERY,
  NO_ALL_NAMESPACES,
  noObjects,
  noObjectsOfGroup,
} from '#shared/api/query-messages.ts';
import { MAX_QUERY_BYTES } from '#shared/api/query-request.ts';
import { invalidLimit } from '#shared/core/collector/messages.ts';
import { at, isArray, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { longAnswer } from '#shared/core/status-api/messages.ts';
import { QUERY_ENDED } from '#shared/core/status-api/query-ended.ts';
import { QueryEndedError, QueryUnavailableError, StoreUnavailableError } from '#shared/errors.ts';
import type { QueryRequest } from '#shared/ports/query-runner.ts';
import { AskedApi, jsonBody, KEYS, REASON, ROOT, status, type Told, userOf, WEB } from './ask.ts';

const QUERIES = `${ROOT}/namespaces/shop/statusqueries`;
const CLUSTER_QUERIES = `${ROOT}/clusterstatusqueries`;
const READY = 'returned.status.readyReplicas';
const SELECT: JsonObject = { select: [{ name: 'ready', def: READY }] };
const COUNT: JsonObject = {
  groupBy: [{ name: 'ready', def: READY }],
  combinedFields: [{ name: 'count', type: 'COUNT' }],
};
const ROLE = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  namespace: '',
  name: 'reader',
};

function post(
  asked: AskedApi,
  spec: JsonValue,
  {
    path = QUERIES,
    ...more
  }: { readonly path?: string } & Readonly<Record<string, JsonValue>> = {},
): Promise<Told> {
  const kind = path === QUERIES ? 'StatusQuery' : 'ClusterStatusQuery';
  const object = { apiVersion: 'status.starfold.dev/v1alpha1', kind, spec, ...more };
  return asked.ask(path, { method: 'POST', body: jsonBody(stringifyJson(object)) });
}

/** What WECs report of two Deployments, a Secret, and a role without a namespace. */
function shop(): AskedApi {
  const asked = new AskedApi();
  for (const [wec, ready] of [
    ['east', 3],
    ['north', 1],
    ['west', 3],
  ] as const)
    asked.source.put(status(WEB, wec, { status: { readyReplicas: ready } }));
  asked.source.put(status({ ...WEB, name: 'api' }, 'east', { status: { readyReplicas: 2 } }));
  asked.source.put(status({ ...WEB, namespace: 'pay' }, 'east', { status: { readyReplicas: 9 } }));
  asked.source.put(status(KEYS, 'east', { status: {} }));
  asked.source.put(status(ROLE, 'east', { kind: 'ClusterRole', status: {} }));
  return asked;
}

function rowsOf({ body }: Told): readonly JsonValue[] {
  const rows = at(body, 'status', 'rows');
  return isArray(rows) ? rows : [];
}

/** `name wec cell ...` of each row. */
function cellsOf(told: Told): readonly string[] {
  return rowsOf(told).map((row) => {
    const columns = at(row, 'columns');
    const cells = (isArray(columns) ? columns : []).map(
      (cell) => at(cell, 'float') ?? at(cell, 'string') ?? at(cell, 'type'),
    );
    return [at(row, 'workload', 'name'), at(row, 'wec'), ...cells].join(' ').trim();
  });
}

describe('a query', () => {
  it('is answered with its object, and rows that name their object and WEC', async () => {
    const workloads = { resource: 'deployments', group: 'apps' };
    const spec = { ...SELECT, filter: `${READY} >= 2`, workloads };
    const told = await post(shop(), spec, { metadata: { labels: { a: 'b' } } });
    expect(told.code).toBe(201);
    const named = (name: string) => ({ ...WEB, name, kind: 'Deployment' });
    const number = (float: string) => [{ type: 'Number', float }];
    expect(told.body).toEqual({
      apiVersion: 'status.starfold.dev/v1alpha1',
      kind: 'StatusQuery',
      metadata: { namespace: 'shop', labels: { a: 'b' } },
      spec,
      status: {
        columnNames: ['ready'],
        rows: [
          { workload: named('api'), wec: 'east', columns: number('2') },
          { workload: named('web'), wec: 'east', columns: number('3') },
          { workload: named('web'), wec: 'west', columns: number('3') },
        ],
        price: { rows: 4, steps: expect.any(Number), rowSteps: 2 },
      },
    });
  });

  it('is about the objects that it names: by resource, group, name and labels', async () => {
    const about = async (workloads: JsonObject) =>
      cellsOf(await post(shop(), { select: [{ name: 'one', def: '1' }], workloads }));
    expect(await about({ name: 'api' })).toEqual(['api east 1']);
    expect(await about({ resource: 'secrets', group: '' })).toEqual(['keys east 1']);
    expect(await about({ labelSelector: { matchLabels: { app: 'api' } } })).toEqual(['api east 1']);
    expect(await about({})).toHaveLength(5);
    expect(await about({ resource: 'deployments', name: 'none' })).toEqual([]);
  });

  it('aggregates over all of its objects, and says how many rows a group has', async () => {
    const spec = { ...COUNT, workloads: { resource: 'deployments' } };
    const told = await post(shop(), spec);
    expect(cellsOf(told)).toEqual(['1 1', '2 1', '3 2']);
    expect(rowsOf(told).map((row) => at(row, 'count'))).toEqual([1, 1, 2]);
    expect(at(told.body, 'status')).not.toHaveProperty('continue');
    expect(at(told.body, 'status')).not.toHaveProperty('errors');
  });

  it('of the cluster is about objects without a namespace, or those of all namespaces', async () => {
    const spec = { select: [{ name: 'one', def: '1' }] };
    const cluster = await post(shop(), spec, { path: CLUSTER_QUERIES });
    expect(cellsOf(cluster)).toEqual(['reader east 1']);
    const workloads = { resource: 'deployments', allNamespaces: true };
    const all = await post(shop(), { ...SELECT, workloads }, { path: CLUSTER_QUERIES });
    expect(cellsOf(all)).toEqual([
      'web east 9',
      'api east 2',
      'web east 3',
      'web north 1',
      'web west 3',
    ]);
  });

  it('goes on where its answer ended', async () => {
    const asked = shop();
    const spec = { ...SELECT, workloads: { resource: 'deployments' } };
    const pages: (readonly string[])[] = [];
    let token: JsonValue | undefined;
    do {
      const rest = token === undefined ? {} : { continue: token };
      const told = await post(asked, { ...spec, limit: 3, ...rest });
      pages.push(cellsOf(told));
      token = at(told.body, 'status', 'continue');
    } while (token !== undefined);
    expect(pages).toEqual([['api east 2', 'web east 3', 'web north 1'], ['web west 3']]);
  });

  it('reports which rows have errors', async () => {
    const spec = {
      select: [{ name: 'x', def: 'returned.status.none' }],
      workloads: { name: 'api' },
    };
    expect(at((await post(shop(), spec)).body, 'status', 'errors')).toEqual([
      {
        workload: { ...WEB, name: 'api', kind: 'Deployment' },
        wec: 'east',
        columnName: 'x',
        error: 'no such key: none',
      },
    ]);
  });

  it('is not stored, with or without dryRun', async () => {
    const asked = shop();
    const body = jsonBody(stringifyJson({ spec: SELECT }));
    const { code } = await asked.ask(`${QUERIES}?dryRun=All&fieldManager=kubectl-create`, {
      method: 'POST',
      body,
    });
    expect(code).toBe(201);
    expect((await asked.ask(QUERIES)).code).toBe(405);
    expect((await asked.ask(`${QUERIES}?dryRun=Some`, { method: 'POST', body })).code).toBe(400);
  });

  it('lets other work go on, however many queries there are', async () => {
    const asked = new AskedApi();
    for (let index = 0; index < 400; index += 1) asked.source.put(status(WEB, `wec-${index}`));
    let [turns, isAnswered] = [0, false];
    const others = (async () => {
      for (; !isAnswered; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    })();
    const told = await Promise.all([post(asked, COUNT), post(asked, COUNT)]);
    isAnswered = true;
    await others;
    expect(told.map(({ code }) => code)).toEqual([201, 201]);
    // A slice has at most 5,000 steps, and reading a row takes 250. Both queries wait for one turn after the other.
    expect(turns).toBeGreaterThanOrEqual(2 * (400 / 20) - 2);
  });

  it('stops reading when the client has gone', async () => {
    const asked = new AskedApi();
    for (let index = 0; index < 1_000; index += 1) asked.source.put(status(WEB, `wec-${index}`));
    const gone = new AbortController();
    const body = jsonBody(stringifyJson({ spec: COUNT }));
    const answer = asked.ask(QUERIES, { method: 'POST', body, signal: gone.signal });
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await answer;
    expect(asked.source.reads.length).toBeLessThan(500);
    expect(asked.errors).toEqual([]);
  });
});

describe('a query that cannot be answered', () => {
  it.each<[string, JsonObject, string, string]>([
    [
      'an expression',
      { ...SELECT, filter: 'returned.status.(' },
      'spec.filter',
      'line 1, column 17: ',
    ],
    ['no column', {}, 'spec', 'has no output column; add select or combinedFields'],
    [
      'an unknown member',
      { ...SELECT, filtre: 'true' },
      'spec.filtre',
      'unknown field; did you mean filter?',
    ],
    [
      'a nested unknown member',
      { select: [{ name: 'a', def: '1', 'd-f': '2' }] },
      'spec',
      'spec.select[0].d-f: unknown field; ',
    ],
    ['a limit', { ...SELECT, limit: -1 }, 'spec.limit', invalidLimit(500)],
    ['a large limit', { ...SELECT, limit: 10_001 }, 'spec.limit', longAnswer(10_001, 10_000)],
    [
      'all namespaces in a namespace',
      { ...SELECT, workloads: { allNamespaces: true } },
      'spec.workloads.allNamespaces',
      'unknown field; ',
    ],
    [
      'a label selector',
      { ...SELECT, workloads: { labelSelector: { matchLabel: {} } } },
      'spec.workloads.labelSelector.matchLabel',
      'unknown field; did you mean matchLabels?',
    ],
    [
      'an unknown resource',
      { ...SELECT, workloads: { resource: 'deployment', group: 'apps' } },
      'spec.workloads.resource',
      noObjects('deployment.apps', 'deployments.apps'),
    ],
    [
      'a resource without namespaces',
      { ...SELECT, workloads: { resource: 'clusterroles' } },
      'spec.workloads.resource',
      CREATE_CLUSTER_QUERY,
    ],
    [
      'an unknown group',
      { ...SELECT, workloads: { group: 'nothing.example.com' } },
      'spec.workloads.group',
      noObjectsOfGroup('nothing.example.com', undefined),
    ],
    [
      'a misspelt group',
      { ...SELECT, workloads: { group: 'app' } },
      'spec.workloads.group',
      noObjectsOfGroup('app', 'apps'),
    ],
  ])('because of %s is 422 and names the field', async (...[, spec, field, message]) => {
    const { code, body } = await post(shop(), spec);
    expect(code).toBe(422);
    expect(body).toMatchObject({
      kind: 'Status',
      reason: 'Invalid',
      details: { group: 'status.starfold.dev', kind: 'StatusQuery', causes: [{ field }] },
    });
    expect(at(body, 'details', 'causes')).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
  });

  it('names each field that is wrong', async () => {
    const spec = { select: [{ name: 'a', def: '1 +' }], filter: 'nobody', continue: 7 };
    const { body } = await post(shop(), spec);
    const causes = at(body, 'details', 'causes') as { field: string; message: string }[];
    expect(causes.map(({ field }) => field)).toEqual([
      'spec.continue',
      'spec.filter',
      'spec.select[0].def',
    ]);
    expect(at(body, 'message')).toBe(invalidObject('StatusQuery.status.starfold.dev', causes));
  });

  it('asks the cluster for objects of namespaces, and the other way round', async () => {
    const ask = async (workloads: JsonObject) => {
      const { body } = await post(shop(), { ...SELECT, workloads }, { path: CLUSTER_QUERIES });
      return at(body, 'message');
    };
    expect(await ask({ resource: 'deployments' })).toContain(CREATE_NAMESPACED_QUERY);
    expect(await ask({ resource: 'clusterroles', allNamespaces: true })).toContain(
      NO_ALL_NAMESPACES,
    );
  });

  it('of a resource that only another namespace has is answered: there are no rows', async () => {
    const asked = new AskedApi();
    asked.source.put(status({ ...WEB, namespace: 'pay' }, 'east'));
    const { code, body } = await post(asked, { ...SELECT, workloads: { resource: 'deployments' } });
    expect(code).toBe(201);
    expect(at(body, 'status', 'rows')).toEqual([]);
  });

  it('does not go on with another query, or with anything else', async () => {
    const asked = shop();
    const { body } = await post(asked, { ...SELECT, limit: 1 });
    const token = at(body, 'status', 'continue') ?? '';
    const other = { select: [{ name: 'other', def: '1' }], continue: token };
    const forged = Buffer.from('{"after":"x"}').toString('base64url');
    for (const spec of [other, { ...SELECT, continue: 'x' }, { ...SELECT, continue: forged }]) {
      const told = await post(asked, spec);
      expect(told.code).toBe(400);
      expect(at(told.body, 'details', 'causes')).toMatchObject([
        { field: 'spec.continue', message: CONTINUE_OF_OTHER },
      ]);
    }
    expect((await post(asked, { ...SELECT, limit: 500, continue: token })).code).toBe(201);
  });

  it.each<[string, string, string, number]>([
    ['no JSON', '{', 'application/json', 400],
    ['no object', '[]', 'application/json', 400],
    ['nothing', '', '', 400],
    ['deep nesting', `{"metadata":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, '', 400],
    ['YAML', 'spec: {}', 'application/yaml', 415],
    ['too much', `{"a":"${'x'.repeat(MAX_QUERY_BYTES)}"}`, 'application/json', 413],
    ['another kind', '{"kind":"Pod","apiVersion":"v1"}', 'application/json; charset=utf-8', 400],
    ['another namespace', '{"metadata":{"namespace":"pay"}}', 'application/json', 400],
  ])('because of %s is an error', async (...[, text, contentType, code]) => {
    const body = jsonBody(text, contentType);
    const told = await shop().ask(QUERIES, { method: 'POST', body });
    expect(told.code).toBe(code);
    expect(told.body).toMatchObject({ kind: 'Status', code });
  });

  it('without a body, or for a client that takes no JSON, is an error', async () => {
    const asked = shop();
    expect((await asked.ask(QUERIES, { method: 'POST' })).code).toBe(400);
    const accept = 'application/vnd.kubernetes.protobuf';
    expect((await asked.ask(QUERIES, { method: 'POST', accept })).code).toBe(406);
    expect((await asked.ask(`${ROOT}/statusqueries`, { method: 'POST' })).code).toBe(404);
  });

  it('is 503 while the table does not answer', async () => {
    const asked = shop();
    asked.source.failure = new StoreUnavailableError('get');
    expect((await post(asked, SELECT)).code).toBe(503);
  });

  it.each([
    ['took too long', 504, 'Timeout', true],
    ['crashed what evaluates it', 500, 'InternalError', false],
  ])('because it %s is an error with the remedy, which clients do not repeat', async (...of) => {
    const [, code, reason, isLate] = of;
    const error = new QueryEndedError('it is over', { isLate });
    const asked = new AskedApi({ queries: { run: () => Promise.reject(error) } });
    const told = await post(asked, SELECT);
    expect(told.code).toBe(code);
    const { message } = error;
    const details = { causes: [{ reason: QUERY_ENDED, message }] };
    expect(told.body).toMatchObject({ kind: 'Status', reason, message, details });
    expect(told.headers).not.toHaveProperty('retry-after');
    expect(asked.errors).toEqual([]);
  });

  it('because nothing evaluates queries now is 503, which clients repeat', async () => {
    const error = new QueryUnavailableError('its thread did not start');
    const asked = new AskedApi({ queries: { run: () => Promise.reject(error) } });
    const told = await post(asked, SELECT);
    expect(told.code).toBe(503);
    expect(told.body).toMatchObject({ reason: 'ServiceUnavailable', message: error.message });
    expect(told.headers).toHaveProperty('retry-after');
    expect(asked.errors).toEqual([error]);
  });

  it('takes no place while its body comes', async () => {
    const asked = shop();
    const coming = Promise.withResolvers<Buffer>();
    const body = { ...jsonBody(''), bytes: () => coming.promise };
    const slow = Array.from({ length: 8 }, () => asked.ask(QUERIES, { method: 'POST', body }));
    await asked.settled();
    expect((await post(asked, SELECT)).code).toBe(201);
    coming.reject(new Error('the connection is gone'));
    expect((await Promise.all(slow)).map(({ code }) => code)).toEqual(Array(8).fill(500));
  });

  it('is one of many: 4 of one user and 64 of all are answered at a time', async () => {
    const asked = shop();
    const body = jsonBody(stringifyJson({ spec: SELECT }));
    const names = Array.from({ length: 17 }, (_, index) => `user-${index}`);
    const told = await Promise.all(
      names.flatMap((name) =>
        Array.from({ length: 5 }, () =>
          asked.ask(QUERIES, { method: 'POST', body, user: userOf(name) }),
        ),
      ),
    );
    const codes = told.map(({ code }) => code);
    const each = [201, 201, 201, 201, 429];
    expect(codes).toEqual([...names.slice(1).flatMap(() => each), ...Array(5).fill(429)]);
    const refused = told.filter(({ code }) => code === 429);
    expect(refused.every(({ headers }) => headers['retry-after'] === '5')).toBe(true);
    const messages = refused.map((one) => at(one.body, 'message'));
    expect(messages[0]).toBe(
      placesOfUserTaken('user-0', { what: 'queries', taken: 4, ofOneUser: 4 }),
    );
    expect(messages.at(-1)).toBe(placesTaken('queries', 64));
    expect((await post(asked, SELECT)).code).toBe(201);
  });
});

describe('who asks', () => {
  it('is named to what evaluates the query, with what he may read, when that is known', async () => {
    const runs: { readonly request: QueryRequest; readonly user: string }[] = [];
    const asked = new AskedApi({
      queries: {
        run: async (request, { user }) => {
          runs.push({ request, user });
          return { type: 'answer', status: '{"rows":[]}' };
        },
      },
    });
    asked.source.put(status(WEB, 'east'));
    asked.source.put(status(KEYS, 'east'));
    const allowed = Promise.withResolvers<void>();
    const { create } = asked.wds;
    asked.wds.create = async (...args) => {
      await allowed.promise;
      return create.apply(asked.wds, args);
    };
    asked.wds.allows = ({ resource }) => resource !== 'secrets';
    const answer = post(asked, SELECT);
    await asked.settled();
    expect(runs).toEqual([]);
    allowed.resolve();
    expect(at((await answer).body, 'status')).toEqual({ rows: [] });
    expect(runs).toMatchObject([
      {
        request: {
          ...{ isNamespaced: true, scope: { namespace: 'shop' } },
          readable: ['deployments.apps'],
        },
        user: 'alice',
      },
    ]);
  });

  it('and may not create queries is told so before the body is read, and takes no place', async () => {
    const asked = shop();
    asked.wds.allows = ({ verb }) => verb !== 'create';
    const reads: number[] = [];
    const body = {
      contentType: 'text/plain',
      bytes: async (max: number) => Buffer.from(`${reads.push(max)}`),
    };
    const told = await Promise.all(
      Array.from({ length: 20 }, () =>
        asked.ask(`${QUERIES}?dryRun=odd`, { method: 'POST', accept: 'image/png', body }),
      ),
    );
    expect(new Set(told.map(({ code }) => code))).toEqual(new Set([403]));
    expect(reads).toEqual([]);
    expect(asked.source.calls).toEqual([]);
  });

  it.each([
    ['no objects', 'none'],
    ['objects', 'secrets'],
  ])(
    'about a resource with %s that he may not get learns nothing else',
    async (_what, resource) => {
      const asked = shop();
      asked.wds.allows = (attributes) => attributes['resource'] !== resource;
      const spec = { filter: '1 +', workloads: { resource, group: '' } };
      const { code, body } = await post(asked, spec);
      expect(code).toBe(403);
      const access = { verb: 'get', group: '', resource, namespace: 'shop', name: '' };
      expect(at(body, 'message')).toBe(accessForbidden('alice', access, REASON));
      expect(asked.source.calls).toEqual([]);
    },
  );

  it('needs create here and get of the workload objects', async () => {
    const asked = shop();
    await post(asked, { ...SELECT, workloads: { resource: 'deployments' } });
    expect(asked.wds.reviews()).toEqual([
      'create statusqueries.status.starfold.dev shop/',
      'get deployments.apps shop/',
    ]);
  });

  it('is rejected without create, before anything is read', async () => {
    const asked = shop();
    asked.wds.allows = ({ verb }) => verb !== 'create';
    expect((await post(asked, SELECT)).code).toBe(403);
    expect(asked.source.calls).toEqual([]);
  });

  it('gets no rows of what he may not get, and a warning, or 403 if he asks for nothing else', async () => {
    const asked = shop();
    asked.wds.allows = ({ resource }) => resource !== 'secrets';
    const told = await post(asked, { select: [{ name: 'one', def: '1' }] });
    expect(cellsOf(told)).toHaveLength(4);
    expect(told.headers['warning']).toContain(leftOut(['secrets']));
    expect(asked.source.reads).not.toContain('secrets:keys:east');
    const secrets = await post(asked, { ...SELECT, workloads: { resource: 'secrets' } });
    expect(secrets.code).toBe(403);
    const misspelt = await post(asked, { ...SELECT, workloads: { resource: 'secret' } });
    expect(at(misspelt.body, 'message')).not.toContain('secrets');
  });
});
