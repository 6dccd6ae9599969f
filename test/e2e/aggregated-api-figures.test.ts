/** How long an API server takes to answer from 10,000 rows behind its APIService. Nothing depends on the figures. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { openSqliteJournal } from '#shared/adapters/sqlite/journal.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import { JOURNALED_KEYS } from '#shared/state/status-source/changes.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { fill } from '#test/bench/ask.bench.ts';
import { createUseCaseWorld } from '#test/bench/use-case-world.ts';
import { report, timesOf } from './aggregated/figures.ts';
import { serveFrom } from './aggregated/served-from.ts';
import { AggregatedWorld } from './aggregated/world.ts';
import { type Cluster, requestOk } from './clusters.ts';

const START_TIMEOUT_MS = 180_000;
const ROUNDS = 100;
const LIST = '/apis/status.starfold.dev/v1alpha1/namespaces/shop/wecstatuses';
const ONE = `${LIST}/deployments.apps:web-0:edge-00042`;
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const faults: unknown[] = [];
let world: AggregatedWorld;
let stop: (() => Promise<void>) | undefined;

/** A source with the reports of 10,000 WECs about one object. */
async function reported() {
  const database = openSqliteDatabase(':memory:');
  const journal = openSqliteJournal(database, { keys: JOURNALED_KEYS, nowMs: Date.now() });
  const filled = createUseCaseWorld(createSqliteItemStore(database), (name) =>
    createSqliteMessageQueue(database, {
      ...{ name, fifo: true, visibilityTimeoutSeconds: 60, maxReceiveCount: 5 },
      clock: Date.now,
    }),
  );
  await fill(filled, { objects: 1, wecs: 10_000 });
  const source = createStatusSource({ store: filled.store, wds: 'wds1', journal, clock: Date.now });
  return { source, close: () => database.close() };
}

beforeAll(async () => {
  world = await AggregatedWorld.start('aggregated-figures');
  const { source, close } = await reported();
  const server = await serveFrom(world, source, (error) => faults.push(error));
  stop = async () => {
    await server.stop();
    close();
  };
  world.proxy.aim(server.url);
  world.proxy.drop();
}, START_TIMEOUT_MS);

afterAll(async () => {
  await stop?.();
  await world.dispose();
});

function get(user: Cluster, path: string, accept = 'application/json') {
  return (): Promise<JsonObject> => requestOk(user, { method: 'GET', path, accept });
}

function countIn(answer: JsonObject, field: string): number {
  const items = member(answer, field);
  return isArray(items) ? items.length : 0;
}

it('answers from 10,000 rows, and says how soon', async () => {
  const { wds } = world;
  const page = get(wds, `${LIST}?limit=500`);
  const table = get(wds, `${LIST}?limit=500`, TABLE);
  expect(countIn(await page(), 'items')).toBe(500);
  expect(countIn(await table(), 'rows')).toBe(500);
  expect(at(await get(wds, ONE)(), 'wec')).toBe('edge-00042');
  expect(countIn(await get(wds, LIST)(), 'items')).toBe(10_000);
  const namespace = get(wds, '/api/v1/namespaces/default');
  report('a Namespace of the API server itself: get', await timesOf(ROUNDS, namespace));
  report('through the APIService: get', await timesOf(ROUNDS, get(wds, ONE)));
  report('through the APIService: first page of 500 of 10,000', await timesOf(ROUNDS, page));
  report('through the APIService: the same as a Table', await timesOf(ROUNDS, table));
  const direct = world.directly(wds);
  report('at the direct door: get', await timesOf(ROUNDS, get(direct, ONE)));
  const directPage = get(direct, `${LIST}?limit=500`);
  report('at the direct door: first page of 500 of 10,000', await timesOf(ROUNDS, directPage));
  expect(faults).toEqual([]);
});
