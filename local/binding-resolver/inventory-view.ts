import type { BindingResolver } from '#shared/core/binding/binding-resolver.ts';
import { MANAGED_CLUSTERS } from '#shared/core/binding/managed-cluster.ts';
import { labelsOf } from '#shared/core/labels.ts';
import { type FollowDeps, Reflectors } from '#shared/watch/reflectors.ts';
import { problemsOf, unservedOf } from './following-problem.ts';

/** The WECs to use if there are no ManagedClusters. */
interface InventoryOptions {
  /** Names of the WECs that count, without labels, as long as there is no ManagedCluster. */
  readonly names: readonly string[];
  /** Whether the cluster must serve ManagedClusters. If so, the inventory is not known until the cluster does. */
  readonly isRequired: boolean;
}

/** The inventory of WECs: the ManagedClusters of a cluster or, if there are none, WECs with known names. */
export class InventoryView {
  readonly #resolver: BindingResolver;
  readonly #options: InventoryOptions;
  readonly #managed = new Set<string>();
  readonly #reflectors: Reflectors;

  constructor(deps: FollowDeps, resolver: BindingResolver, options: InventoryOptions) {
    this.#resolver = resolver;
    this.#options = options;
    this.#reflectors = new Reflectors(deps, (_resource, reflection) => {
      if (reflection.type === 'synced') return;
      const name = reflection.key.slice(reflection.key.indexOf('/') + 1);
      if (reflection.type === 'deleted') {
        this.#managed.delete(name);
        resolver.removeCluster(name);
      } else {
        this.#managed.add(name);
        resolver.setCluster(name, labelsOf(reflection.object));
      }
      deps.onProgress();
    });
    this.#reflectors.follow(MANAGED_CLUSTERS);
  }

  /** The ManagedClusters, as `<group>/<resource>`, if they are not served. */
  unserved(): readonly string[] {
    return unservedOf(this.#reflectors);
  }

  /** Why the inventory is not known, or `undefined` if it is known. */
  problem(): string | undefined {
    return problemsOf(this.#reflectors, () => this.#options.isRequired)[0]?.problem;
  }

  /** Adds or removes the WECs with known names. The next query of the resolver includes the change. */
  refresh(): void {
    for (const name of this.#options.names) {
      if (this.#managed.size === 0) this.#resolver.setCluster(name, {});
      else if (!this.#managed.has(name)) this.#resolver.removeCluster(name);
    }
  }

  async stop(): Promise<void> {
    await this.#reflectors.stop();
  }
}
