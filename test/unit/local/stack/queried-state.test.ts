import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '#local/package-file.ts';
import { QueryThreads } from '#local/stack/query-threads.ts';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { CONTINUE_OF_OTHER, noObjects } from '#shared/api/query-messages.ts';
import { at, type JsonObject, parseJson, stringifyJson } from '#shared/core/json.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import { AskedApi, jsonBody, ROOT, type Told } from '#test/unit/api/ask.ts';

const WDS = 'wds1';
const WECS = ['east', 'north', 'west'];
const WEB = {
  ...{ group: 'apps', version: 'v1', resource: 'deployments' },
  ...{ namespace: 'shop', name: 'web' },
};
const { version: _version, ...NAMED } = WEB;
const SUBJECT = { wds: WDS, ...NAMED };
const READY = { name: 'ready', def: 'returned.status.readyReplicas' };
/** What JSON of other libraries loses. */
const NUMBERS = '{"readyReplicas":3,"large":9007199254740993,"double":3.0}';

let folder: string;
let database: SqliteDatabase;
let pipeline: Pipeline;
let threads: QueryThreads;
/** The same state, queried in this thread and in another one. */
let here: AskedApi;
let there: AskedApi;

async function fill(): Promise<void> {
  pipeline.wds.apply(WEB, {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 3 } },
    metadata: { name: 'web', namespace: 'shop', labels: { tier: 'front' } },
  });
  const bindings = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
  pipeline.wds.apply(
    { ...bindings, resource: 'bindings', name: 'all' },
    {
      ...{ apiVersion: 'control.kubestellar.io/v1alpha1', kind: 'Binding' },
      metadata: { name: 'all' },
      spec: {
        destinations: WECS.map((clusterId) => ({ clusterId })),
        workload: { namespaceScope: [{ ...WEB, resourceVersion: '1' }] },
      },
    },
  );
  for (const [index, wec] of WECS.entries()) {
    const status = parseJson(NUMBERS) as JsonObject;
    const returned = { uid: wec, generation: index, status: { ...status, readyReplicas: index } };
    pipeline.tell(wec, SUBJECT, returned);
  }
  await pipeline.settle();
  expect(pipeline.failures).toEqual([]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-queried-'));
  const file = join(folder, 'state.sqlite');
  database = openSqliteDatabase(file);
  pipeline = new Pipeline(undefined, createSqliteItemStore(database));
  await fill();
  threads = new QueryThreads({
    ...{ entry: packageFile('local/stack/query-worker.js'), file, wds: WDS },
    limits: { memoryMb: 512, queryMs: 60_000, leaveMs: 1_000, idleMs: 60_000 },
    onEnded: (_user, error) => {
      throw error;
    },
  });
  const store = createSqliteItemStore(database);
  const source = createStatusSource({ store, wds: WDS, clock: Date.now });
  here = new AskedApi({ source });
  there = new AskedApi({ source, queries: threads });
});
afterAll(async () => {
  await threads.stop();
  database.close();
  rmSync(folder, { recursive: true });
});

function post(asked: AskedApi, spec: JsonObject, path: string): Promise<Told> {
  return asked.ask(`${ROOT}/${path}`, {
    method: 'POST',
    body: jsonBody(stringifyJson({ metadata: { labels: { a: 'b' } }, spec })),
  });
}

/** What both say. */
async function answer(
  spec: JsonObject,
  path = 'namespaces/shop/statusqueries',
): Promise<Pick<Told, 'code' | 'text'>> {
  const [mine, other] = await Promise.all([post(here, spec, path), post(there, spec, path)]);
  expect(other).toEqual(mine);
  expect([...here.errors, ...there.errors]).toEqual([]);
  return mine;
}

it('a query in another thread has the same rows, groups and errors, and loses no number', async () => {
  const status = { name: 'status', def: 'returned.status' };
  const { code, text } = await answer({ select: [READY, status, { name: 'x', def: 'obj.none' }] });
  expect(code).toBe(201);
  expect(text).toContain('"large":9007199254740993');
  expect(text).toContain('"double":3.0');
  expect(text).toContain('no such key: none');
  const count = { name: 'count', type: 'COUNT' };
  const groups = { groupBy: [READY], combinedFields: [count], filter: 'propagation.stale' };
  expect((await answer(groups)).code).toBe(201);
  const workloads = { allNamespaces: true, labelSelector: { matchLabels: { tier: 'front' } } };
  const all = await answer({ select: [READY], workloads }, 'clusterstatusqueries');
  expect(all.text).toContain('"wec":"west"');
});

it('goes on there where an answer from here has ended', async () => {
  const spec = { select: [READY], limit: 2 };
  const token = at(parseJson((await answer(spec)).text), 'status', 'continue') ?? '';
  const rest = await answer({ ...spec, continue: token });
  expect(at(parseJson(rest.text), 'status', 'rows')).toMatchObject([{ wec: 'west' }]);
});

it.each<[string, JsonObject, number, string]>([
  ['expressions', { select: [READY], filter: '1 +' }, 422, 'spec.filter: '],
  ['continuation', { select: [READY], continue: 'x' }, 400, CONTINUE_OF_OTHER],
  [
    'resource',
    { select: [READY], workloads: { resource: 'pods' } },
    422,
    noObjects('pods', undefined),
  ],
  [
    'resource and expressions',
    { select: [READY], filter: '1 +', workloads: { resource: 'pods' } },
    422,
    'spec.filter: ',
  ],
])('has the same errors: %s', async (...[, spec, code, message]) => {
  const told = await answer(spec);
  expect(told.code).toBe(code);
  expect(told.text).toContain(message);
});

it('reads what has been recorded since its thread has begun', async () => {
  const spec = { select: [READY], filter: 'inventory.name == "east"' };
  expect((await answer(spec)).text).toContain('"float":"0"');
  const returned = { uid: 'east', generation: 1, status: { readyReplicas: 7 } };
  pipeline.tell('east', SUBJECT, returned);
  await pipeline.settle();
  expect((await answer(spec)).text).toContain('"float":"7"');
});
