import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { standingDifferences } from '#test/lifecycle/differences.ts';
import { evaluateExport } from '#test/lifecycle/fresh.ts';
import { accessAmong, grantAccess } from './accounts.ts';
import { startChartForwarder } from './chart-forwarder.ts';
import { apply, type Cluster, clusters, createNamespace, read, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually, inWds } from './controls.ts';
import { killPrograms, type ProgramChild } from './program-child.ts';
import { minute, rolledOut } from './rollout.ts';
import { STARFOLD, starfoldObjects } from './starfold-chart-objects.ts';
import { makePod, type Pod } from './starfold-pod.ts';
import { type StarfoldProgram, startStarfold } from './starfold-program.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { deployment, type Manifest } from './workloads.ts';

const LOADED = ['a', 'b', 'c', 'd', 'e', 'f'];
const PAUSE_MS = 50;
const PATIENCE = { timeout: 60_000, interval: 100 };

/** Where it is. */
interface Place {
  readonly namespace: string;
  readonly folder: string;
  readonly pod: Pod;
  readonly service: TcpProxy;
}

/** An installation of the chart with the forwarders of two WECs, whose Deployments change all the time. */
export class UpgradeWorld {
  readonly pod: Pod;
  readonly forwarders = new Map<string, ProgramChild>();
  readonly #folder: string;
  readonly #namespace: string;
  /** What is the Service in a cluster: its address stays, the pods come and go. */
  readonly #service: TcpProxy;
  readonly #wecs: ReadonlyMap<string, Cluster>;
  readonly #loaded: readonly Manifest[];
  readonly #beat: Manifest;
  #program: StarfoldProgram | undefined;
  #load: Promise<void> = Promise.resolve();
  #isLoading = false;
  #changes = 0;
  #beats = 0;
  #processes = 0;

  private constructor({ namespace, folder, pod, service }: Place) {
    const { wec1, wec2 } = clusters();
    this.#namespace = namespace;
    this.#folder = folder;
    this.pod = pod;
    this.#service = service;
    this.#wecs = new Map(Object.entries({ cluster1: wec1, cluster2: wec2 }));
    const manifest = (name: string): Manifest => {
      const { ref, object } = deployment({ namespace, name });
      const metadata = { namespace, name, labels: { app: namespace } };
      return { ref, object: { ...object, metadata } };
    };
    this.#loaded = LOADED.map(manifest);
    this.#beat = manifest('beat');
  }

  /** Makes the clusters and the mounts of the pod. No process runs yet. */
  static async create(namespace: string): Promise<UpgradeWorld> {
    const { wds } = clusters();
    const folder = await mkdtemp(join(tmpdir(), `${namespace}-`));
    const objects = await starfoldObjects('secret');
    await clear(wds, [WRITER_LEASE]);
    await grantAccess(wds, { account: STARFOLD, access: accessAmong(objects) });
    const sources = ['wec/cluster1', 'wec/cluster2'];
    const options = { folder: join(folder, 'pod'), wds, account: STARFOLD, sources };
    const service = await startTcpProxy('https://127.0.0.1:1');
    const pod = await makePod(objects, options);
    const world = new UpgradeWorld({ namespace, folder, pod, service });
    await world.#makeObjects();
    return world;
  }

  get #all(): readonly Manifest[] {
    return [...this.#loaded, this.#beat];
  }

  async #makeObjects(): Promise<void> {
    for (const cluster of [clusters().wds, ...this.#wecs.values()]) {
      await createNamespace(cluster, this.#namespace);
      for (const { ref, object } of this.#all) await apply(cluster, ref, object);
    }
    await bind({
      name: this.#namespace,
      destinations: [...this.#wecs.keys()],
      objects: this.#all.map(({ ref }) => [ref, { wantMultiWECReportedState: true }]),
    });
  }

  /** The state file on the volume. */
  get stateFile(): string {
    return join(this.pod.stateFolder, 'starfold', 'state.sqlite');
  }

  /** Everything that the processes of the pod have logged on the volume. */
  log(): Promise<string> {
    return readFile(join(this.pod.stateFolder, 'starfold', 'starfold.log'), 'utf8');
  }

  /** A folder for a release or for a process. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Starts a pod of a release on the volume, and gives it the traffic of the Service. */
  async startPod(main: string): Promise<StarfoldProgram> {
    this.#program = startStarfold(this.pod, main);
    this.#service.aim(await this.#program.url('intake'));
    return this.#program;
  }

  /** Starts a pod of a release that does not serve. */
  startRefused(main: string): StarfoldProgram {
    this.#program = startStarfold(this.pod, main);
    return this.#program;
  }

  /** Ends the pod, as the controller of a StatefulSet does before it starts the next one. */
  async endPod(): Promise<number | null | undefined> {
    const code = await this.#program?.stop();
    this.#program = undefined;
    this.#service.drop();
    return code;
  }

  /** Starts a forwarder of a WEC. Those of one WEC share the Lease of their release. */
  async startForwarder(wec: string, main?: string): Promise<ProgramChild> {
    this.#processes += 1;
    const cluster = this.#wecs.get(wec);
    if (cluster === undefined) throw new RangeError(`there is no WEC ${wec}`);
    const child = await startChartForwarder({
      ...{ wec, cluster, namespace: this.#namespace, name: `${this.#namespace}-${wec}` },
      folder: this.path(`forwarder-${this.#processes}`),
      url: this.#service.server,
      caFile: this.pod.certFile,
      labelSelector: `app=${this.#namespace}`,
      ...(main === undefined ? {} : { main }),
    });
    this.forwarders.set(wec, child);
    return child;
  }

  /** Begins to change statuses in the WECs, one after the other without an end. */
  beginLoad(): void {
    this.#isLoading = true;
    this.#load = (async () => {
      while (this.#isLoading) {
        this.#changes += 1;
        const wecs = [...this.#wecs.values()];
        const wec = wecs[this.#changes % wecs.length];
        const one = this.#loaded[Math.floor(this.#changes / wecs.length) % this.#loaded.length];
        if (wec === undefined || one === undefined) throw new RangeError('no object');
        const status = rolledOut(1, 1 + (this.#changes % 97), minute(this.#changes % 60));
        await setStatus(wec, one.ref, status);
        await delay(PAUSE_MS);
      }
    })();
  }

  /** Waits until so many more statuses have been changed. */
  async moreChanges(count: number): Promise<void> {
    const until = this.#changes + count;
    await vi.waitFor(() => expect(this.#changes).toBeGreaterThanOrEqual(until), PATIENCE);
  }

  /** Makes one more change in every WEC, and waits until it is in the WDS. */
  async comesThrough(): Promise<void> {
    this.#beats += 1;
    const status = rolledOut(1, this.#beats, minute(this.#beats));
    for (const wec of this.#wecs.values()) await setStatus(wec, this.#beat.ref, status);
    await eventually(inWds(this.#beat.ref, 'status'), status);
  }

  async endLoad(): Promise<void> {
    this.#isLoading = false;
    await this.#load;
  }

  async #objectsIn(cluster: Cluster): Promise<readonly JsonObject[]> {
    const found = await Promise.all(this.#all.map(({ ref }) => read(cluster, ref)));
    return found.filter((object) => object !== undefined);
  }

  /** What is in the WDS and is not what `starfold eval` makes of the clusters as they are. */
  async differences(): Promise<readonly string[]> {
    const { wds } = clusters();
    const binding = await read(wds, controlRef('bindings', this.#namespace));
    const wecs = [...this.#wecs].map(async ([wec, cluster]) => {
      return { wec, objects: await this.#objectsIn(cluster) };
    });
    const exported = {
      wds: [...(await this.#objectsIn(wds)), ...(binding === undefined ? [] : [binding])],
      inventory: [],
      wecs: await Promise.all(wecs),
    };
    const fresh = await evaluateExport(exported, Date.now());
    return standingDifferences(exported, fresh, new Map());
  }

  async dispose(): Promise<void> {
    await this.endLoad();
    await killPrograms();
    await this.endPod();
    await this.#service.cut();
    const refs = this.#all.map(({ ref }) => ref);
    await clear(clusters().wds, [controlRef('bindings', this.#namespace), ...refs, WRITER_LEASE]);
    for (const cluster of this.#wecs.values()) await clear(cluster, refs);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
