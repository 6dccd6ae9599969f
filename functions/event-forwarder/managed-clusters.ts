import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { managedInventory } from '#shared/core/wec-inventory.ts';
import { largeManagedCluster } from './messages.ts';
import { Problems } from './problems.ts';
import type { SourceDeps } from './source.ts';

/** Reports the labels and annotations of ManagedClusters, when they have changed and at each resync. */
export class ManagedClusters {
  readonly #deps: SourceDeps;
  readonly #problems: Problems;
  /** The last inventory of each WEC, as text. */
  readonly #reported = new Map<string, string>();

  constructor(deps: SourceDeps) {
    this.#deps = deps;
    this.#problems = new Problems('ManagedClusters', deps.onProgress);
  }

  /** Takes note of a ManagedCluster. */
  upsert(name: string, cluster: JsonObject): void {
    const { inventory, leftOut } = managedInventory(cluster);
    const [example] = leftOut;
    this.#problems.set(
      name,
      example === undefined ? undefined : largeManagedCluster(name, leftOut.length, example),
    );
    // An inventory is plain JSON.
    const text = stringifyJson({ ...inventory });
    if (this.#reported.get(name) === text && !this.#deps.isResyncing()) return;
    this.#reported.set(name, text);
    this.#deps.onManaged({ type: 'wec', name }, inventory);
  }

  /** Takes note that a ManagedCluster is gone. */
  remove(name: string): void {
    this.#problems.set(name, undefined);
    if (this.#reported.delete(name)) this.#deps.onManaged({ type: 'wec', name });
  }

  problems(): readonly string[] {
    return this.#problems.shown();
  }
}
