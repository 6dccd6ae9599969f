import { type Forwarder, startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import {
  type RunningResolver,
  startBindingResolver,
} from '#local/binding-resolver/binding-resolver.ts';
import packageJson from '#package.json' with { type: 'json' };
import { sleep } from '#shared/concurrency.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { type OneFollower, oneFollower } from '#shared/watch/one-follower.ts';
import { sharedCluster } from '#shared/watch/shared-cluster.ts';
import { type BoundResources, followBoundResources } from './bound-resources.ts';
import { nextEpoch } from './epoch.ts';
import { followHub, hubEpochSource } from './followed-hub.ts';
import { forwarderLogger } from './forwarder-logger.ts';
import type { StackCluster, StackOptions } from './stack-options.ts';
import type { WrittenClusters } from './written-clusters.ts';

/** For an ITS, nothing runs in this process. */
type OwnSource = Exclude<ForwarderSource, { readonly type: 'its' }>;

/** The source under which the epochs of a forwarder are counted. */
function epochSource({ type, name }: OwnSource): EventSource {
  return type === 'inventory' ? hubEpochSource(name) : { type, name };
}

/** What the followers use. */
export interface FollowerParts {
  readonly options: StackOptions;
  readonly store: ItemStore;
  /** The events queue. */
  readonly events: MessageSender;
  readonly clusters: Pick<WrittenClusters, 'wds'>;
}

/** What follows the clusters: a forwarder for each of them, and the resolver of Bindings. */
export class ClusterFollowers {
  readonly #parts: FollowerParts;
  readonly #forwarders = new Map<string, Forwarder>();
  readonly #follower: OneFollower | undefined;
  /** The API that followers of each cluster use. */
  readonly #followed = new Map<StackCluster, ResourceApi>();
  #bound: BoundResources | undefined;
  #resolver: RunningResolver | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    const { wds } = parts.options;
    this.#follower = wds && this.#followOnce(wds);
  }

  /** The WDS as all parts of the stack read it. */
  get wdsReads(): ResourceApi | undefined {
    return this.#follower?.api;
  }

  async start(): Promise<void> {
    const { wds, fleet } = this.#parts.options;
    if (fleet !== undefined)
      await this.#forward(fleet.cluster, { type: 'fleet', name: fleet.cluster.name });
    if (wds === undefined) return;
    await this.#forward(wds, { type: 'wds', name: wds.name });
    await this.#followInventory(wds);
    this.#resolveBindings(wds);
    await this.#startWecs(wds);
  }

  /** Ends the forwarders after they have sent what they have read. */
  async stop(): Promise<void> {
    await this.#resolver?.stop();
    await this.#bound?.stop();
    await Promise.all([...this.#forwarders.values()].map((forwarder) => forwarder.stop()));
    await this.#follower?.stop();
  }

  /** Reports the labels of the ManagedClusters. */
  async #followInventory(wds: StackCluster): Promise<void> {
    const { options, store, events } = this.#parts;
    const { resolveBindings, inventory: named } = options;
    const inventory = named ?? (resolveBindings && wds);
    await followHub({ store, events, clock: Date.now }, inventory?.name);
    if (inventory !== undefined)
      await this.#forward(inventory, {
        type: 'inventory',
        name: inventory.name,
        mayBeEmpty: named === undefined,
      });
  }

  #resolveBindings(wds: StackCluster): void {
    const { options, clusters } = this.#parts;
    const { resolveBindings, inventory, wecs, observability } = options;
    if (resolveBindings === undefined) return;
    const { otherWecs = [], onState } = resolveBindings;
    this.#resolver = startBindingResolver({
      wds: { ...clusters.wds(wds.name), ...this.#following(wds) },
      ...(inventory === undefined ? {} : { inventory: this.#following(inventory) }),
      ...(onState === undefined ? {} : { onState }),
      clusters: [...new Set([...wecs.map(({ name }) => name), ...otherWecs])],
      clock: Date.now,
      sleep,
      random: Math.random,
      logger: forwarderLogger(observability),
    });
  }

  /** A WEC's forwarder needs to know which objects to send. Without a selection, it follows what the Bindings name. */
  async #startWecs(wds: StackCluster): Promise<void> {
    const { wecs, labelSelector, resources } = this.#parts.options;
    const given = {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(resources === undefined ? {} : { resources }),
    };
    const selection = Object.keys(given).length === 0 ? { bound: this.#followBound(wds) } : given;
    await Promise.all(
      wecs.map((wec) =>
        this.#forward(wec, { type: 'wec', name: wec.name, wds: wds.name, ...selection }),
      ),
    );
  }

  #followBound(wds: StackCluster): BoundResources {
    this.#bound = followBoundResources(this.#following(wds), { sleep, random: Math.random });
    return this.#bound;
  }

  /** One follower for a cluster that several parts of this process follow. */
  #followOnce(cluster: StackCluster): OneFollower {
    const now = (): number => performance.now();
    const follower = oneFollower({ api: this.#following(cluster), now, sleep });
    this.#followed.set(cluster, follower.api);
    return follower;
  }

  /** A cluster as its followers see it. */
  #following(cluster: StackCluster): ResourceApi {
    const existing = this.#followed.get(cluster);
    if (existing !== undefined) return existing;
    const shared = sharedCluster(cluster.api, () => performance.now());
    this.#followed.set(cluster, shared);
    return shared;
  }

  async #forward(cluster: StackCluster, source: OwnSource): Promise<void> {
    const { options, store, events } = this.#parts;
    const { observability, onForwarder, silence = {} } = options;
    const { name } = cluster;
    const { heartbeatMs } = silence;
    const key = `${source.type}/${name}`;
    const forwarder = startForwarder({
      api: this.#following(cluster),
      ...(source.type === 'wds' ? { objectsAreHeld: true } : {}),
      queue: events,
      source,
      // Waiting saves nothing: while a batch is being sent, the next one is collected.
      config: { windowMs: 0, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) },
      epoch: await nextEpoch(store, epochSource(source), Date.now()),
      version: packageJson.version,
      clock: Date.now,
      sleep,
      random: Math.random,
      logger: forwarderLogger(observability),
      onState: (state) => onForwarder?.(key, state),
    });
    this.#forwarders.set(key, forwarder);
  }
}
