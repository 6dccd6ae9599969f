import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { type Stack, startStack } from '#local/stack/stack.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { Cluster } from './clusters.ts';
import { DEFINITIONS, MANAGED_CLUSTERS, NAMESPACES } from './kinds.ts';
import { WECS } from './specs.ts';

const POLL_MS = 40;
/** So many looks at which nothing had moved. */
const QUIET_LOOKS = 3;

/** Nothing comes to rest. */
class RestlessError extends Error {}

function observability() {
  const logger = new Logger({
    serviceName: 'lifecycle',
    logLevel: 'SILENT',
  });
  const metrics = new Metrics({ namespace: 'lifecycle', singleMetric: false });
  metrics.setThrowOnEmptyMetrics(false);
  return { logger, metrics };
}

/** Names a generation of an object; `generation` absent: its present one. */
export function generationKey(object: JsonObject, generation?: JsonValue): string {
  const named = generation ?? at(object, 'metadata', 'generation');
  return `${String(at(object, 'metadata', 'uid'))} ${String(named)}`;
}

/** Makes a cluster serve a kind. */
async function define(cluster: Cluster, definition: JsonObject): Promise<void> {
  const place = { group: 'apiextensions.k8s.io', version: 'v1', namespace: '' };
  const resource = 'customresourcedefinitions';
  const name = String(at(definition, 'metadata', 'name'));
  await cluster.api.create({ ...place, resource, name }, definition);
}

/** Simulated clusters and the embedded stack, which can be stopped and started again on its file. */
export class World {
  readonly wds: Cluster;
  readonly wecs: readonly Cluster[];
  /** Where the ManagedClusters are: the WDS or a cluster of its own. */
  readonly inventory: Cluster;
  /** Keys of the workload objects on which users changed what is Starfold's. */
  readonly tampered = new Set<string>();
  /** What every Binding said at each of its generations, by uid and generation. */
  readonly bindingsAt = new Map<string, JsonObject>();
  readonly #ending = new AbortController();
  readonly #folder = mkdtempSync(join(tmpdir(), 'starfold-lifecycle-'));
  #stack: Stack | undefined;
  #waitsFor: string | undefined;

  private constructor(wds: Cluster, wecs: readonly Cluster[], inventory: Cluster) {
    this.wds = wds;
    this.wecs = wecs;
    this.inventory = inventory;
  }

  /** Starts the clusters with what no history changes: namespaces, kinds, an inventory. The stack is not started. */
  static async start(where: 'wds' | 'its'): Promise<World> {
    const wds = await Cluster.start('wds1');
    const wecs = await Promise.all(WECS.map((name) => Cluster.start(name)));
    const inventory = where === 'wds' ? wds : await Cluster.start('its');
    for (const cluster of [wds, ...wecs])
      for (const definition of DEFINITIONS) await define(cluster, definition);
    await define(inventory, MANAGED_CLUSTERS);
    const world = new World(wds, wecs, inventory);
    await world.#followBindings();
    for (const name of NAMESPACES) await world.ensureNamespace(name);
    return world;
  }

  async #followBindings(): Promise<void> {
    const bindings = { group: 'control.kubestellar.io', version: 'v1alpha1', resource: 'bindings' };
    const { resourceVersion } = await this.wds.api.list(bindings, {});
    const onEvent = (event: WatchEvent): void => {
      if (event.type !== 'BOOKMARK') this.bindingsAt.set(generationKey(event.object), event.object);
    };
    const { signal } = this.#ending;
    await new Promise<void>((resolve) => {
      const watched = { resourceVersion, onEvent, onOpen: resolve };
      void this.wds.api.watch(bindings, watched, signal).catch(() => undefined);
    });
  }

  async ensureNamespace(name: string): Promise<void> {
    const place = { version: 'v1', group: '', resource: 'namespaces', namespace: '' };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.wds.set({ ...place, name }, (standing) => standing ?? namespace);
  }

  get isRunning(): boolean {
    return this.#stack !== undefined;
  }

  async startStack(): Promise<void> {
    const clusterOf = ({ name, stackApi }: Cluster) => ({ name, api: stackApi });
    const isOwn = this.inventory !== this.wds;
    this.#stack ??= await startStack({
      file: join(this.#folder, 'state.sqlite'),
      wds: clusterOf(this.wds),
      wecs: this.wecs.map(clusterOf),
      ...(isOwn ? { inventory: clusterOf(this.inventory) } : {}),
      resolveBindings: {
        onState: (waitsFor) => {
          this.#waitsFor = waitsFor;
        },
      },
      writer: { identity: 'lifecycle', runsAs: 'a test' },
      observability: observability(),
    });
  }

  async stopStack(): Promise<void> {
    await this.#stack?.stop();
    this.#stack = undefined;
  }

  /** What changes when anything moves. */
  async #mark(): Promise<{ readonly isIdle: boolean; readonly mark: string }> {
    const backlog = (await this.#stack?.backlog()) ?? {};
    const version = { group: '', version: 'v1', resource: 'namespaces' };
    const { resourceVersion } = await this.wds.api.list(version, {});
    const isIdle = Object.entries(backlog).every(
      ([queue, count]) => count === 0 || queue.endsWith('-dlq'),
    );
    return { isIdle, mark: resourceVersion };
  }

  /**
   * Waits until no message is on its way and the WDS has not changed for some looks.
   *
   * @param deadlineMs by `Date.now()`; after it nothing can be expected to come to rest any more
   */
  async quiet(deadlineMs: number): Promise<void> {
    if (this.#stack === undefined) return;
    let last = '';
    for (let looks = 0; looks < QUIET_LOOKS; ) {
      if (Date.now() > deadlineMs) throw new RestlessError('the pipeline does not come to rest');
      await delay(POLL_MS);
      const { isIdle, mark } = await this.#mark();
      looks = isIdle && mark === last ? looks + 1 : 0;
      last = mark;
    }
  }

  /** What keeps Bindings from being written: there should be nothing. */
  hindrances(): readonly string[] {
    return this.#waitsFor === undefined ? [] : [`Bindings wait for ${this.#waitsFor}`];
  }

  /** Messages that no function could handle, by queue: there should be none. */
  async deadLetters(): Promise<readonly string[]> {
    const backlog = Object.entries((await this.#stack?.backlog()) ?? {});
    return backlog
      .filter(([queue, count]) => queue.endsWith('-dlq') && count > 0)
      .map(([queue, count]) => `${count} messages in ${queue}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopStack();
    await Promise.all(
      [...new Set([this.wds, this.inventory, ...this.wecs])].map((one) => one.close()),
    );
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
