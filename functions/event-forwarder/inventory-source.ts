import { untilAborted } from '#shared/concurrency.ts';
import { MANAGED_CLUSTERS } from '#shared/core/binding/managed-cluster.ts';
import type { EventSource } from '#shared/core/event.ts';
import { Reflectors } from '#shared/watch/reflectors.ts';
import { ManagedClusters } from './managed-clusters.ts';
import { EMPTY_HUB } from './messages.ts';
import type { Source, SourceDeps } from './source.ts';

/** The hub that a source follows. */
export interface InventorySelection {
  /** Whether a hub without ManagedClusters is no problem, because the user has not named it as the hub. Default: false. */
  readonly mayBeEmpty?: boolean;
}

/**
 * The hub of Open Cluster Management, for WECs that have forwarders of their own. The source reports the labels and annotations
 * of the ManagedClusters, and nothing else: the forwarders send the objects and the heartbeats.
 */
export class InventorySource implements Source {
  readonly reflectors: Reflectors;
  readonly #clusters: ManagedClusters;
  readonly #mayBeEmpty: boolean;
  readonly #deps: SourceDeps;
  /** The names of the ManagedClusters. */
  readonly #names = new Set<string>();

  constructor(deps: SourceDeps, { mayBeEmpty = false }: InventorySelection) {
    this.#deps = deps;
    this.#mayBeEmpty = mayBeEmpty;
    this.#clusters = new ManagedClusters(deps);
    this.reflectors = new Reflectors(deps, (_resource, reflection) => {
      if (reflection.type === 'synced') return;
      const name = reflection.key.slice(reflection.key.indexOf('/') + 1);
      if (reflection.type === 'deleted') this.#clusters.remove(name);
      else this.#clusters.upsert(name, reflection.object);
      this.#note(name, reflection.type !== 'deleted');
    });
  }

  #note(name: string, exists: boolean): void {
    const wasEmpty = this.#names.size === 0;
    if (exists) this.#names.add(name);
    else this.#names.delete(name);
    if (wasEmpty !== (this.#names.size === 0)) this.#deps.onProgress();
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
    const isEmpty = !this.#mayBeEmpty && this.complete() && this.#names.size === 0;
    return [...(isEmpty ? [EMPTY_HUB] : []), ...this.#clusters.problems()];
  }
}
