import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { bundlePage } from '#console/bundle.ts';
import { pageFilesOf } from '#local/console/page-files.ts';
import { type Stack, startStack } from '#local/stack/stack.ts';
import { readDemo } from '#local/start/recording.ts';
import { serveStatusApi } from '#local/start/status-api.ts';
import {
  isArray,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  textAt,
} from '#shared/core/json.ts';
import { Cluster } from '#test/lifecycle/clusters.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { HISTORY, NOW_MS, type Step } from './history.ts';
import { managedCluster, WECS, WORKLOADS, type Workload, wdsObject, wecObject } from './objects.ts';
import { setClock } from './stopped-clock.ts';

const CRD = new URL('../../../fixtures/managedclusters.yaml', import.meta.url);
const WORKER = new URL('./aggregation-worker.ts', import.meta.url);
const QUERY_WORKER = new URL('./query-worker.ts', import.meta.url);
/** The WEC that stops has been silent for 14 minutes in the end. */
const SILENCE_LIMIT_MS = 12 * 60_000;
const SWEEP_MS = 2_000;
const HEARTBEAT_MS = 5_000;
const POLL_MS = 200;
/** How long a Binding or StatusCollector rests that was aggregated and changes again (`restSeconds`). */
const REST_MS = 1_000;
/** After so many rounds with the same messages, they rest. */
const RESTING_ROUNDS = 5;
/** How long before the pictures everything is known about silent WECs. */
const LAST_SILENCE_MS = 15_000;
const API = '/apis/status.starfold.dev/v1alpha1';

/** A WDS and its WECs, the stack over them, and the page. */
interface World {
  readonly wds: Cluster;
  readonly wecs: ReadonlyMap<string, Cluster>;
  readonly stack: Stack;
  /** The address of the page. */
  readonly url: string;
}

function binding(collectors: readonly string[]): JsonObject {
  const namespaceScope = WORKLOADS.map(({ apiVersion, resource, namespace, name, kind }) => {
    const slash = apiVersion.indexOf('/');
    return {
      ...{ group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) },
      ...{ resource, namespace, name, resourceVersion: '1', wantMultiWECReportedState: true },
      ...(kind === 'Deployment' ? { statusCollectors: collectors } : {}),
    };
  });
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'bp-shop', uid: 'binding-bp-shop' },
    spec: {
      destinations: [...WECS.keys()].map((clusterId) => ({ clusterId })),
      workload: { namespaceScope },
    },
  };
}

/** The StatusCollectors are those of the demo. */
function fillWds({ simulated }: Cluster): void {
  const collectors = readDemo(0, 1).control.filter(({ kind }) => kind === 'StatusCollector');
  const names = collectors.map((collector) => textAt(collector, 'metadata', 'name'));
  simulated.apply(parse(readFileSync(CRD, 'utf8')) as JsonObject);
  for (const [name, region] of WECS) simulated.apply(managedCluster(name, region));
  for (const [index, collector] of collectors.entries()) {
    const metadata = { name: names[index] ?? '', uid: `collector-${index}`, generation: 1 };
    simulated.apply({ ...collector, metadata });
  }
  for (const workload of WORKLOADS) simulated.apply(wdsObject(workload));
  simulated.apply(binding(names));
}

/** The status of an object in a WEC before the history begins. */
function fillWec({ name, simulated }: Cluster, ms: number): void {
  for (const workload of WORKLOADS)
    simulated.apply(wecObject(workload, name, { status: workload.done, ms }));
}

async function read(url: string, path: string): Promise<readonly JsonValue[]> {
  const answer = await fetch(`${url}${API}/${path}`);
  const items = member(parseJson(await answer.text()), 'items');
  if (!answer.ok || !isArray(items)) throw new Error(`${path}: ${answer.status}`);
  return items;
}

/** Waits until a condition holds, however long that takes. It says what it waits for. */
async function until(what: string, holds: () => Promise<readonly string[]>): Promise<void> {
  for (let rounds = 1; ; rounds += 1) {
    const missing = await holds();
    if (missing.length === 0) return;
    if (rounds % 50 === 0) process.stderr.write(`wait for ${what}: ${missing[0]}\n`);
    await delay(POLL_MS);
  }
}

function key(row: JsonValue): string {
  return ['namespace', 'resource', 'name']
    .map((part) => textAt(row, 'workload', part))
    .concat(textAt(row, 'wec'))
    .join('/');
}

function keyOf({ namespace, resource, name }: Workload, wec: string): string {
  return [namespace, resource, name, wec].join('/');
}

function nameOf(object: JsonValue): string {
  return textAt(object, 'metadata', 'name');
}

/** The messages that wait in the queues. */
async function waitingIn({ stack }: World): Promise<readonly string[]> {
  return Object.entries(await stack.backlog())
    .filter(([name, count]) => count > 0 && !name.endsWith('-dlq'))
    .map(([name, count]) => `${count} in ${name}`);
}

/** What the API does not show yet of a step. */
async function missingOf({ url }: World, { reports, atMs }: Step): Promise<readonly string[]> {
  const rows = new Map((await read(url, 'wecstatuses')).map((row) => [key(row), row]));
  const wanted = WECS.size * WORKLOADS.length;
  if (rows.size !== wanted) return [`${rows.size} of ${wanted} rows`];
  const stale = reports.filter(({ workload, wec, status }) => {
    const row = rows.get(keyOf(workload, wec));
    return status === undefined
      ? textAt(row, 'state') !== 'Missing'
      : Date.parse(textAt(row, 'lastUpdate')) !== atMs;
  });
  if (stale.length > 0) return stale.map(({ workload, wec }) => keyOf(workload, wec));
  const explanations = await read(url, 'explanations');
  return explanations
    .filter((one) => member(member(one, 'applied'), 'upToDate') !== true)
    .map((one) => `${nameOf(one)} is not up to date`);
}

/** Sets the clock, and waits until no message is left and nothing is missing. The clock goes on if messages rest. */
async function settle(
  world: World,
  atMs: number,
  missing: () => Promise<readonly string[]>,
): Promise<void> {
  setClock(atMs);
  let [before, rounds, nowMs] = ['', 0, atMs];
  await until(`step ${new Date(atMs).toISOString()}`, async () => {
    const waiting = await waitingIn(world);
    if (waiting.length === 0) return missing();
    rounds = waiting.join() === before ? rounds + 1 : 0;
    before = waiting.join();
    // What rests goes on only if the clock does. The clock is never set back: what had begun to rest meanwhile would rest for ever.
    // No picture shows a second that is minutes ago.
    if (rounds > 0 && rounds % RESTING_ROUNDS === 0) {
      nowMs += REST_MS;
      setClock(nowMs);
    }
    return waiting;
  });
}

async function take(world: World, step: Step): Promise<void> {
  setClock(step.atMs);
  for (const { workload, wec, status } of step.reports) {
    const cluster = world.wecs.get(wec)?.simulated;
    if (status === undefined) cluster?.delete(wdsObjectOf(workload));
    else cluster?.apply(wecObject(workload, wec, { status, ms: step.atMs }));
  }
  await settle(world, step.atMs, () => missingOf(world, step));
  if (step.stops !== undefined) await world.wecs.get(step.stops)?.close();
}

function wdsObjectOf({ apiVersion, kind, namespace, name }: Workload): JsonObject {
  return { apiVersion, kind, metadata: { namespace, name } };
}

/** The WECs that have stopped and are not silent yet, and those that run and are. */
async function missingSilence(url: string): Promise<readonly string[]> {
  const stopped = new Set(HISTORY.flatMap(({ stops }) => stops ?? []));
  return (await read(url, 'wecs'))
    .filter((wec) => stopped.has(nameOf(wec)) !== (textAt(wec, 'silentSince') !== ''))
    .map(nameOf);
}

/** The WECs that run and have not sent a heartbeat now. */
async function missingContact(url: string): Promise<readonly string[]> {
  return (await read(url, 'wecs'))
    .filter((wec) => textAt(wec, 'silentSince') === '')
    .filter((wec) => Date.parse(textAt(wec, 'lastContact')) !== NOW_MS)
    .map(nameOf);
}

/**
 * Starts the embedded stack over simulated clusters, as the demo does, and plays the history. All names, times and objects are
 * the same each time. Only the revision of the store depends on the order in which the parts of the stack come to work.
 *
 * @param closers what has to be called in the end, the last one first
 * @returns the address of the page
 */
export async function startWorld(closers: (() => unknown)[]): Promise<string> {
  const [first] = HISTORY;
  if (first === undefined) throw new Error('the history is empty');
  setClock(first.atMs);
  const folder = mkdtempSync(join(tmpdir(), 'starfold-pictures-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const [wds, ...all] = await Promise.all(['wds1', ...WECS.keys()].map(Cluster.start));
  if (wds === undefined) throw new Error('there is no WDS');
  closers.push(() => Promise.all([wds, ...all].map((cluster) => cluster.close())));
  fillWds(wds);
  for (const wec of all) fillWec(wec, first.atMs - 12 * 60 * 60_000);
  const of = ({ name, stackApi }: Cluster) => ({ name, api: stackApi });
  const stack = await startStack({
    file: join(folder, 'state.sqlite'),
    wds: of(wds),
    wecs: all.map(of),
    inventory: of(wds),
    watchable: true,
    silence: { sweepMs: SWEEP_MS, limitMs: SILENCE_LIMIT_MS, heartbeatMs: HEARTBEAT_MS },
    aggregation: { entry: WORKER },
    queries: { entry: QUERY_WORKER },
    observability: createObservedOutput().observability,
    writer: { identity: 'pictures', runsAs: 'starfold start' },
  });
  closers.push(() => stack.stop());
  const page = pageFilesOf(await bundlePage());
  const wdsConfig = new KubeConfig();
  wdsConfig.loadFromString(wds.simulated.kubeconfig());
  const server = await serveStatusApi(
    { host: '127.0.0.1', port: 0 },
    {
      ...{ source: stack.statusSource('wds1'), queries: stack.queryRunner('wds1') },
      ...{ wds: of(wds), wdsConfig },
      monitor: {
        problem: () => false,
        message: (text) => process.stderr.write(`${text}\n`),
      },
      output: { say: () => undefined },
      readPage: () => page,
    },
  );
  closers.push(() => server.stop());
  const { url } = server;
  const wecs = new Map(all.map((cluster) => [cluster.name, cluster]));
  const world = { wds, wecs, stack, url };
  for (const step of HISTORY) await take(world, step);
  await settle(world, NOW_MS - LAST_SILENCE_MS, () => missingSilence(url));
  setClock(NOW_MS);
  await until('heartbeats', () => missingContact(url));
  return url;
}
