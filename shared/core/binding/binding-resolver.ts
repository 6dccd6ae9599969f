import type { Labels } from '#shared/core/labels.ts';
import type { BindingPolicy, PolicyClause } from './binding-policy.ts';
import { ClusterMatches } from './cluster-matches.ts';
import { type DownsyncModulation, mergeModulations } from './downsync-modulation.ts';
import type { DownsyncObject, DownsyncObjectRef } from './downsync-object.ts';
import type { IndexedObject } from './object-index.ts';
import { ObjectMatches } from './object-matches.ts';
import { byObject, type ResolvedBinding } from './resolved-binding.ts';

/** A policy, and a text that identifies everything that the resolution uses of the policy. */
interface PolicyWithMeaning {
  readonly policy: BindingPolicy;
  readonly meaning: string;
}

function meaningOf({ uid, clusterSelectors, clauses }: BindingPolicy): string {
  return JSON.stringify([
    uid,
    clusterSelectors.map(({ text }) => text),
    clauses.map(({ test, modulation }) => [test.text, modulation]),
  ]);
}

/**
 * Computes from BindingPolicies what their Bindings should contain: which objects of one WDS go to which WECs
 * (KubeStellar, binding controller). The resolver keeps all inputs in memory, takes changes one by one in any order,
 * and applies only the selectors that a change can affect:
 *
 * - a new object: the clauses that admit its names;
 * - a changed label of an object: of these clauses, those that read that label of objects;
 * - any other change of an object: none;
 * - a changed label of a Namespace: the clauses that read that label of namespaces and, if their verdict on the
 *   Namespace changes, the objects in it;
 * - a changed label of a cluster: the cluster selectors that read that label;
 * - a changed policy: those of its clauses and selectors that no policy had before.
 *
 * Objects of excluded kinds and objects that are being deleted are sent nowhere. The resourceVersion of a resolved
 * object is the one at which its content last changed, so a status that is written to an object does not change a
 * Binding. KubeStellar's own Bindings change with every write.
 */
export class BindingResolver {
  readonly #policies = new Map<string, PolicyWithMeaning>();
  readonly #changed = new Set<string>();
  readonly #objects = new ObjectMatches((policy) => this.#changed.add(policy));
  readonly #clusters = new ClusterMatches((policy) => this.#changed.add(policy));

  /** How often a clause was applied to an object or a Namespace, or a cluster selector to a cluster. */
  get evaluations(): number {
    return this.#objects.evaluations + this.#clusters.evaluations;
  }

  setPolicy(policy: BindingPolicy): void {
    const { name, clusterSelectors, clauses } = policy;
    const meaning = meaningOf(policy);
    const isOther = this.#policies.get(name)?.meaning !== meaning;
    this.#policies.set(name, { policy, meaning });
    if (!isOther) return;
    this.#changed.add(name);
    this.#clusters.assign(name, clusterSelectors);
    this.#objects.assign(
      name,
      clauses.map(({ test }) => test),
    );
  }

  removePolicy(name: string): void {
    if (!this.#policies.delete(name)) return;
    this.#changed.add(name);
    this.#clusters.assign(name, []);
    this.#objects.assign(name, []);
  }

  setObject(object: DownsyncObject): void {
    this.#objects.set(object);
  }

  removeObject(ref: DownsyncObjectRef): void {
    this.#objects.remove(ref);
  }

  setCluster(name: string, labels: Labels): void {
    this.#clusters.set(name, labels);
  }

  removeCluster(name: string): void {
    this.#clusters.remove(name);
  }

  /**
   * Sorted names of the policies whose resolution may have changed since the last call. Removed policies are included.
   */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed].sort();
    this.#changed.clear();
    return changed;
  }

  policy(name: string): BindingPolicy | undefined {
    return this.#policies.get(name)?.policy;
  }

  /** The current resolution of a policy, or `undefined` if there is no such policy. */
  resolved(name: string): ResolvedBinding | undefined {
    const known = this.#policies.get(name);
    return known && this.#resolve(known.policy);
  }

  /** The name and the current resolution of every policy. */
  *resolutions(): Generator<readonly [name: string, resolved: ResolvedBinding]> {
    for (const [name, { policy }] of this.#policies) yield [name, this.#resolve(policy)];
  }

  #resolve({ clusterSelectors, clauses }: BindingPolicy): ResolvedBinding {
    const destinations = clusterSelectors.flatMap((selector) => [
      ...this.#clusters.matching(selector),
    ]);
    const objects = [...this.#modulations(clauses)].map(([object, modulation]) => {
      const { group, version, resource, namespace, name } = object.current;
      const resourceVersion = object.boundResourceVersion;
      return { group, version, resource, namespace, name, resourceVersion, modulation };
    });
    return { destinations: [...new Set(destinations)].sort(), objects: objects.sort(byObject) };
  }

  /** The objects that pass one of the clauses, each with what all of its matching clauses request. */
  #modulations(clauses: readonly PolicyClause[]): ReadonlyMap<IndexedObject, DownsyncModulation> {
    const modulations = new Map<IndexedObject, DownsyncModulation>();
    for (const { test, modulation } of clauses)
      for (const object of this.#objects.passing(test)) {
        const known = modulations.get(object);
        modulations.set(
          object,
          known === undefined ? modulation : mergeModulations(known, modulation),
        );
      }
    return modulations;
  }
}

/**
 * Resolves policies once, without a history.
 *
 * @param clusters name and labels of each
 * @returns the resolutions by the name of the policy; each resourceVersion is the object's present one
 */
export function resolveOnce(
  policies: Iterable<BindingPolicy>,
  objects: Iterable<DownsyncObject>,
  clusters: Iterable<readonly [name: string, labels: Labels]>,
): ReadonlyMap<string, ResolvedBinding> {
  const resolver = new BindingResolver();
  for (const [name, labels] of clusters) resolver.setCluster(name, labels);
  for (const object of objects) resolver.setObject(object);
  for (const policy of policies) resolver.setPolicy(policy);
  return new Map(resolver.resolutions());
}
