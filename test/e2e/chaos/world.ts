import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { apply, type ClusterName, createNamespace, setStatus } from '#test/e2e/clusters.ts';
import { define } from '#test/e2e/custom-resources.ts';
import { kubeconfigOf } from '#test/e2e/global-setup.ts';
import { killPrograms } from '#test/e2e/program-child.ts';
import { type StackChild, startStackChild } from '#test/e2e/stack-child.ts';
import { startTcpProxy, type TcpProxy } from '#test/e2e/tcp-proxy.ts';
import type { Manifest } from '#test/e2e/workloads.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';
import { standingDifferences } from '#test/lifecycle/differences.ts';
import type { Export } from '#test/lifecycle/export.ts';
import { evaluateExport, printedTwice } from '#test/lifecycle/fresh.ts';
import { Random } from '#test/simulation/scheduler.ts';
import { type Changes, startChanges } from './changes.ts';
import { freePort } from './control-plane.ts';
import { type ChaosClusters, exportNamespace } from './exported.ts';
import { CHAOTIC, controlOf, type Subject, subjectsOf } from './objects.ts';
import { type Replica, type ReplicaPlan, startReplica } from './replica.ts';

const PATIENCE = { timeout: 60_000, interval: 250 };
/** So many looks one after the other have to find the same. */
const QUIET_LOOKS = 3;
const SHOWN = 3;
const SHOWN_CHARACTERS = 2_000;

/** What a world is made of besides its clusters. */
interface Made {
  readonly proxies: ReadonlyMap<ClusterName, TcpProxy>;
  readonly folder: string;
  readonly port: number;
  readonly others: readonly Manifest[];
}

/** Of the random changes: the same in each run, or as CHAOS_SEED says. */
function chooseSeed(): number {
  // biome-ignore lint/style/noProcessEnv: whoever looks for further mistakes chooses it.
  return Number(process.env['CHAOS_SEED'] ?? 1);
}

/** Of the differences as much as a failed test can show. */
function shortened(differences: readonly string[]): readonly string[] {
  return differences.slice(0, SHOWN).map((text) => text.slice(0, SHOWN_CHARACTERS));
}

/** A WDS, two WECs with forwarders as programs, and the stack as a process; everything can be broken. */
export class ChaosWorld {
  /** Of all objects; the Binding and the StatusCollector have its name. */
  readonly name: string;
  readonly clusters: ChaosClusters;
  readonly subjects: readonly Subject[];
  readonly #made: Made;
  readonly #random: Random;
  #stack: StackChild | undefined;
  readonly #replicas: Replica[] = [];
  #files = 0;

  private constructor(name: string, clusters: ChaosClusters, made: Made) {
    this.name = name;
    this.clusters = clusters;
    this.subjects = subjectsOf(name);
    this.#made = made;
    this.#random = new Random(chooseSeed());
  }

  /**
   * Starts the stack, and puts the objects into the clusters. No forwarder of a WEC runs yet.
   *
   * @param others Deployments in the namespace of this name that forwarders tell of too, but nobody changes or binds
   */
  static async start(
    name: string,
    clusters: ChaosClusters,
    others: readonly Manifest[] = [],
  ): Promise<ChaosWorld> {
    const folder = await mkdtemp(join(tmpdir(), `starfold-${name}-`));
    const proxies = new Map<ClusterName, TcpProxy>();
    for (const cluster of Object.values(clusters))
      proxies.set(cluster.name, await startTcpProxy(cluster.server));
    const made = { proxies, folder, port: await freePort(), others };
    const world = new ChaosWorld(name, clusters, made);
    try {
      await world.#prepare();
    } catch (error) {
      await world.dispose();
      throw error;
    }
    return world;
  }

  get #kubeconfig(): string {
    return join(this.#made.folder, 'kubeconfig');
  }

  get stack(): StackChild {
    if (this.#stack === undefined) throw new Error('the stack does not run');
    return this.#stack;
  }

  async #prepare(): Promise<void> {
    const { wds, wec1, wec2 } = this.clusters;
    const proxied = [wds, wec1, wec2].map((one) => ({
      ...one,
      server: this.way(one.name).server,
    }));
    await writeFile(this.#kubeconfig, kubeconfigOf(proxied), { mode: 0o600 });
    for (const cluster of [wds, wec1, wec2]) {
      await createNamespace(cluster, this.name);
      await define(cluster, CHAOTIC);
      for (const { ref, object, status } of this.subjects) {
        await apply(cluster, ref, object);
        if (cluster !== wds) await setStatus(cluster, ref, status(this.#random));
      }
      for (const { ref, object } of this.#made.others) await apply(cluster, ref, object);
    }
    for (const { ref, object } of controlOf(this.name, this.subjects))
      await apply(wds, ref, object);
    const tokensFile = writeTokens(join(this.#made.folder, 'tokens'), ['wec/wec1', 'wec/wec2']);
    for (const wec of ['wec1', 'wec2'])
      await writeFile(join(this.#made.folder, `token-${wec}`), tokenOf(`wec/${wec}`));
    this.#stack = await startStackChild({
      kubeconfigPath: this.#kubeconfig,
      wecs: [],
      intake: { port: this.#made.port, tokensFile },
    });
  }

  /** The way that forwarders and stack have to a cluster. */
  way(cluster: ClusterName): TcpProxy {
    const proxy = this.#made.proxies.get(cluster);
    if (proxy === undefined) throw new RangeError(`no way to ${cluster}`);
    return proxy;
  }

  /** Starts a forwarder's process; those of one WEC share a Lease. */
  async startReplica(
    wec: 'wec1' | 'wec2',
    change: Pick<ReplicaPlan, 'elected' | 'clockShiftMs'> = {},
  ): Promise<Replica> {
    this.#files += 1;
    const replica = await startReplica({
      wec,
      namespace: this.name,
      names: [...this.subjects, ...this.#made.others].map(({ ref }) => ref.name),
      kubeconfig: this.#kubeconfig,
      intake: `http://127.0.0.1:${this.#made.port}`,
      tokenFile: join(this.#made.folder, `token-${wec}`),
      file: join(this.#made.folder, `forwarder-${this.#files}.yaml`),
      ...change,
    });
    this.#replicas.push(replica);
    return replica;
  }

  /** Lets something happen while everything changes all the time, and waits until the WDS says what it must. */
  async during(happens: (changes: Changes) => Promise<void>): Promise<void> {
    const { wds, wec1, wec2 } = this.clusters;
    const changes = startChanges(
      [wec1, wec2, wds].map((cluster) => ({
        cluster,
        subjects: this.subjects,
        random: new Random(this.#random.below(2 ** 31)),
      })),
    );
    try {
      await happens(changes);
    } finally {
      await changes.stop();
    }
    expect(changes.count()).toBeGreaterThan(0);
    await this.settled();
  }

  /** Waits until nothing is on its way, and the WDS is what `starfold eval` makes of the objects as they are. */
  async settled(): Promise<void> {
    for (let looks = 0; looks < QUIET_LOOKS; looks += 1)
      await vi.waitFor(async () => {
        expect(await this.#waiting()).toEqual([]);
        expect(shortened(await this.differences())).toEqual([]);
      }, PATIENCE);
  }

  async #waiting(): Promise<readonly string[]> {
    const backlog = Object.entries(await this.stack.backlog());
    return backlog.filter(([, count]) => count > 0).map(([queue, count]) => `${queue}: ${count}`);
  }

  /** What the WDS has otherwise than `starfold eval` makes it from the objects as they are. */
  async differences(): Promise<readonly string[]> {
    const given = await this.#exported();
    return standingDifferences(given, await evaluateExport(given, Date.now()), new Map());
  }

  /** What the command prints for the objects as they are, and what {@link differences} compares with. */
  async printedTwice(): Promise<{ readonly command: string; readonly inProcess: string }> {
    return printedTwice(await this.#exported(), Date.now());
  }

  #exported(): Promise<Export> {
    return exportNamespace(this.clusters, { namespace: this.name, manifests: this.subjects });
  }

  /** Ends all processes and ways. What it has put into the clusters stays there. */
  async dispose(): Promise<void> {
    await killPrograms();
    await this.#stack?.dispose();
    for (const proxy of this.#made.proxies.values()) await proxy.cut();
    for (const { way } of this.#replicas) await way.cut();
    await rm(this.#made.folder, { recursive: true, force: true });
  }
}
