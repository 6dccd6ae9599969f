import { untilAborted } from '#shared/concurrency.ts';
import type { EventSource } from '#shared/core/event.ts';
import { MANAGED_CLUSTERS } from '#shared/core/managed-cluster.ts';
import { Reflectors } from '#shared/watch/reflectors.ts';
import { ManagedClusters } from './managed-clusters.ts';
import type { Source, SourceDeps } from './source.ts';

/**
 * The hub of Open Cluster Management, for WECs that have forwarders of their own. The source reports the labels and annotations
 * of the ManagedClusters, and nothing else: the forwarders send the objects and the heartbeats.
 */
export class InventorySource implements Source {
  readonly reflectors: Reflectors;
  readonly #clusters: ManagedClusters;

  constructor(deps: SourceDeps) {
    this.#clusters = new ManagedClusters(deps);
    this.reflectors = new Reflectors(deps, (_resource, reflection) => {
      if (reflection.type === 'synced') return;
      const name = reflection.key.slice(reflection.key.indexOf('/') + 1);
      if (reflection.type === 'deleted') this.#clusters.remove(name);
      else this.#clusters.upsert(name, reflection.object);
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.reflectors.follow(MANAGED_CLUSTERS);
    await untilAborted(signal);
    await this.reflectors.stop();
  }

  complete(): boolean {
    return this.reflectors.synced();
  }

  alive(): readonly EventSource[] {
    return [];
  }

  problems(): readonly string[] {
    return this.#clusters.problems();
  }
}
