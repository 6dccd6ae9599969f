import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { statusDifferencesOf } from '#local/start/expected.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { controlResource } from '#shared/core/kubestellar.ts';
import type { ResourceApi, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { RANGE } from '#shared/state/keys.ts';
import { bundledStack } from './as-installed.ts';
import { type Flood, type Storm, stormName, stormReports } from './noisy-source.ts';
import { countedStatus, counterIn, RECORDED, recorded } from './recorded-deployment.ts';
import type { Question } from './stack-worker.ts';

const WDS = 'wds';
/** Of all workloads. */
export const NAMESPACE = 'shop';
const WATCHED = { group: 'apps', version: 'v1', resource: 'deployments' };

/** How large the world is. */
export interface WorldSize {
  readonly wecs: number;
  readonly workloads: number;
  /** A further WEC, which has no cluster: {@link EmbeddedWorld.flood} speaks for it. */
  readonly noisy?: string;
  /** As many workloads of another user of the WDS: {@link EmbeddedWorld.flap} makes the Binding that names them. */
  readonly others?: number;
  /** As many workloads for {@link EmbeddedWorld.bind}. */
  readonly thirds?: number;
  /** As many further WECs, which have no clusters: {@link EmbeddedWorld.storm} speaks for them. */
  readonly storm?: number;
}

/** Simulated clusters in this process and the embedded stack in another one. */
export interface EmbeddedWorld {
  /** Makes a WEC report a status of a workload in which this counter stands; both by index. */
  change(workload: number, wec: number, counter: number): void;
  /**
   * Has the noisy WEC send so many messages at once.
   *
   * @returns when the queue has them all
   */
  flood(of: Flood['of'], messages: number): Promise<void>;
  /** The milliseconds until the WDS shows a status of an object that a new Binding of a third user names; by index, each once. */
  bind(index: number): Promise<number>;
  /**
   * Has the other user delete and create Bindings, one after the other, so many times a second in all. Each names all the workloads.
   * Returns the end of it.
   */
  flap(bindings: number, perSecond: number): () => void;
  /** Has all WECs of the storm report so many of the workloads at once. Returns when the queue has all messages. */
  storm(objects: number): Promise<void>;
  /** How many messages of events wait. */
  backlog(): Promise<number>;
  /** How many messages of all queues wait. */
  waiting(): Promise<number>;
  /** Bytes of memory of the stack's process. */
  stackMemory(): Promise<number>;
  /** What of the storm is recorded in the state file: rows, and WECs of which everything is recorded that they report. */
  stormRecorded(objects: number): StormRecorded;
  /** What the WDS shows otherwise than a fresh fold of what all WECs have reported. Only between loads. */
  differences(objects: number): Promise<readonly string[]>;
  /** Microseconds of CPU that the stack has used. */
  stackCpu(): Promise<number>;
  /** The process of the stack. */
  readonly stackPid: number;
  stop(): Promise<void>;
}

/** How much of a storm is recorded. */
export interface StormRecorded {
  readonly rows: number;
  readonly wecs: number;
}

const PREFIX = 'web-';

/** The name of a workload, by index. */
export function workloadName(index: number): string {
  return `${PREFIX}${String(index).padStart(3, '0')}`;
}

/** A workload object as a WEC has it, with this counter in its status. */
export function wecObject(name: string, wec: string, counter: number): JsonObject {
  return {
    ...RECORDED,
    metadata: {
      ...recorded('metadata'),
      name,
      namespace: NAMESPACE,
      uid: `${wec}-${name}`,
      generation: 1,
    },
    // Counters only grow here.
    status: countedStatus(5, counter),
  };
}

function deploymentOf(name: string): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, uid: `wds-${name}`, generation: 1 },
    spec: recorded('spec'),
  };
}

/** A Binding that names these workload objects and WECs. */
export function bindingOf(
  name: string,
  names: readonly string[],
  wecs: readonly string[],
): JsonObject {
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name, uid: `binding-${name}`, generation: 1 },
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: names.map((name) => ({
          ...WATCHED,
          namespace: NAMESPACE,
          name,
          resourceVersion: '1',
          wantMultiWECReportedState: true,
        })),
      },
    },
  };
}

function namesOf(count = 0, named: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_name, index) => named(index));
}

function otherName(index: number): string {
  return `other-${index}`;
}

function thirdName(index: number): string {
  return `third-${index}`;
}

/** The workloads of the users whose Bindings do not stand from the start. */
function unboundNames({ others, thirds }: WorldSize): readonly string[] {
  return [...namesOf(others, otherName), ...namesOf(thirds, thirdName)];
}

function wdsObjects(size: WorldSize, wecs: readonly string[]): readonly JsonObject[] {
  const { workloads, noisy, storm } = size;
  const names = namesOf(workloads, workloadName);
  const all = [...names, ...unboundNames(size)];
  const strangers = namesOf(storm, stormName);
  const destinations = [...wecs, ...(noisy === undefined ? [] : [noisy]), ...strangers];
  return [...all.map(deploymentOf), bindingOf('all', names, destinations)];
}

function stormRecorded(file: string, objects: number): StormRecorded {
  const database = new DatabaseSync(file, { readOnly: true });
  const found = database
    .prepare(
      `SELECT sum(rows) AS rows, sum(rows = ?) AS wecs
       FROM (SELECT count(*) AS rows FROM items WHERE sk GLOB ? || '*#' || ? || '*' GROUP BY sk)`,
    )
    .get(objects, RANGE.row, stormName(0).slice(0, -5));
  database.close();
  return { rows: Number(found?.['rows'] ?? 0), wecs: Number(found?.['wecs'] ?? 0) };
}

/** What the WDS shows otherwise than a fresh fold of the objects in the WECs, by the name of the workload and by WEC. */
async function differencesOf(
  api: ResourceApi,
  inWecs: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>,
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(60_000);
  const bindings = (await api.list(controlResource('bindings'), {}, signal)).items;
  const { items } = await api.list(WATCHED, {}, signal);
  return items.flatMap((object) => {
    const name = String(at(object, 'metadata', 'name'));
    const ref = { wds: WDS, ...WATCHED, namespace: NAMESPACE, name };
    const world = { ref, object, bindings, inWecs: inWecs.get(name) ?? new Map() };
    return statusDifferencesOf(world).map((text) => `${name}: ${text}`);
  });
}

/** The program of the stack, in a checkout. */
export const STACK_WORKER = 'test/bench/stack-worker.ts';

async function launch(
  folder: string,
  args: readonly string[],
  checkout: string | undefined,
): Promise<ChildProcess> {
  const script = checkout === undefined ? await bundledStack(folder) : join(checkout, STACK_WORKER);
  const child = spawn(process.execPath, [script, folder, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (first !== 'ready') throw new Error(`the stack does not start: it ended with ${first}`);
  return child;
}

/** The objects in the WECs with a cluster, and those of the WECs of the storm. */
function withStorm(
  { storm = 0, workloads }: WorldSize,
  objects: number,
  standing: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>,
): ReadonlyMap<string, ReadonlyMap<string, JsonObject>> {
  const all = new Map([...standing].map(([name, inWecs]) => [name, new Map(inWecs)]));
  for (let index = 0; index < storm; index += 1)
    for (const [name, { uid, generation, ...said }] of stormReports(
      { workloads, objects },
      index,
    )) {
      const metadata = { name, namespace: NAMESPACE, uid, generation };
      all.get(name)?.set(stormName(index), { ...RECORDED, ...said, metadata });
    }
  return all;
}

async function watchWds(
  api: ResourceApi,
  onShown: (name: string, counter: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const show = (object: JsonObject): void => {
    const counter = counterIn(object);
    if (counter !== undefined) onShown(String(at(object, 'metadata', 'name')), counter);
  };
  const list = async (): Promise<string> => {
    const { items, resourceVersion } = await api.list(WATCHED, {}, signal);
    for (const object of items) show(object);
    return resourceVersion;
  };
  const onEvent = (event: WatchEvent): void => {
    if (event.type !== 'BOOKMARK') show(event.object);
  };
  const follow = async (since: string): Promise<void> => {
    for (let resourceVersion = since; !signal.aborted; resourceVersion = await list())
      await api.watch(WATCHED, { resourceVersion, onEvent }, signal);
  };
  // A watch ends after some minutes.
  follow(await list()).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/**
 * Starts clusters and stack; workloads stand in every cluster, and nothing has been aggregated yet.
 *
 * @param onShown the WDS's API server has shown a status with this counter
 * @param checkout folder with the sources of the stack. If absent, it is the one of this checkout, as installed
 */
export async function startEmbeddedWorld(
  size: WorldSize,
  onShown: (workload: number, counter: number) => void,
  checkout?: string,
): Promise<EmbeddedWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-bench-'));
  const names = Array.from({ length: size.wecs }, (_name, index) => `wec${index}`);
  const clusters = new Map<string, SimulatedCluster>();
  for (const name of [WDS, ...names]) {
    const cluster = await startSimulatedCluster({ name });
    clusters.set(name, cluster);
    await writeFile(join(folder, `${name}.yaml`), cluster.kubeconfig());
  }
  for (const object of wdsObjects(size, names)) clusters.get(WDS)?.apply(object);
  const standing = new Map<string, Map<string, JsonObject>>();
  const report = (workload: string, wec: string, counter: number): void => {
    const object = wecObject(workload, wec, counter);
    clusters.get(wec)?.apply(object);
    const inWecs = standing.get(workload) ?? new Map<string, JsonObject>();
    standing.set(workload, inWecs.set(wec, object));
  };
  const change = (workload: number, wec: number, counter: number): void =>
    report(workloadName(workload), `wec${wec}`, counter);
  for (let workload = 0; workload < size.workloads; workload += 1)
    for (let wec = 0; wec < size.wecs; wec += 1) change(workload, wec, 1);
  for (const other of unboundNames(size)) for (const wec of names) report(other, wec, 1);
  const watching = new AbortController();
  const awaited = new Map<string, () => void>();
  const shown = (name: string, counter: number): void => {
    if (name.startsWith(PREFIX)) onShown(Number(name.slice(PREFIX.length)), counter);
    awaited.get(name)?.();
  };
  const wdsApi = createKubernetesApi(loadKubeConfig(join(folder, `${WDS}.yaml`), WDS), {
    context: WDS,
    requestTimeoutMs: 5_000,
    fieldManager: 'bench',
  });
  await watchWds(wdsApi, shown, watching.signal);
  const child = await launch(folder, [WDS, names.join(',')], checkout);
  let answered: Promise<unknown> = Promise.resolve();
  const askNow = async (question: Question): Promise<number> => {
    const answer = once(child, 'message');
    child.send(question);
    return Number((await answer)[0]);
  };
  // One after the other, because an answer does not name its question.
  const ask = (question: Question): Promise<number> => {
    const answer = answered.then(() => askNow(question));
    answered = answer;
    return answer;
  };
  const flap = (bindings: number, perSecond: number): (() => void) => {
    let round = 0;
    const named = namesOf(size.others, otherName);
    const timer = setInterval(() => {
      round += 1;
      // An object with another uid is another one: the one before it is deleted.
      const binding = bindingOf(`others-${round % bindings}`, named, names);
      const metadata = { name: `others-${round % bindings}`, uid: `${round}`, generation: 1 };
      clusters.get(WDS)?.apply({ ...binding, metadata });
    }, 1000 / perSecond);
    return () => clearInterval(timer);
  };
  const bind = async (index: number): Promise<number> => {
    const name = thirdName(index);
    const status = Promise.withResolvers<void>();
    awaited.set(name, status.resolve);
    const began = performance.now();
    clusters.get(WDS)?.apply(bindingOf(name, [name], names));
    await status.promise;
    return performance.now() - began;
  };
  return {
    change,
    bind,
    flap,
    flood: async (of, messages) => {
      const { noisy = '', workloads } = size;
      await ask({ type: 'flood', of, noisy, workloads, messages });
    },
    storm: async (objects) => {
      const { storm: sources = 0, workloads } = size;
      const question: Storm = { sources, workloads, objects };
      await ask({ type: 'storm', ...question });
    },
    backlog: () => ask({ type: 'backlog' }),
    waiting: () => ask({ type: 'all' }),
    stackMemory: () => ask({ type: 'memory' }),
    stormRecorded: (objects) => stormRecorded(join(folder, 'state.db'), objects),
    differences: (objects) => differencesOf(wdsApi, withStorm(size, objects, standing)),
    stackCpu: () => ask({ type: 'cpu' }),
    stackPid: Number(child.pid),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      watching.abort();
      await Promise.all([...clusters.values()].map((cluster) => cluster.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
