import { changedLabels, type Labels } from '#shared/core/labels.ts';
import type { LabelSelector } from './label-selector.ts';
import { Multimap } from './multimap.ts';
import { SharedItems } from './shared-items.ts';

/** A cluster selector that policies use, and the clusters that it matches. */
interface SelectorUse {
  readonly selector: LabelSelector;
  readonly policies: Set<string>;
  readonly members: Set<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Which clusters match which selectors. Each change updates this. */
export class ClusterMatches {
  readonly #changed: (policy: string) => void;
  readonly #clusters = new Map<string, Labels>();
  readonly #byLabel = new Multimap<string, SelectorUse>();
  readonly #uses = new SharedItems<LabelSelector, SelectorUse>((selector) => ({
    selector,
    policies: new Set(),
    members: new Set(),
  }));
  #evaluations = 0;

  /** @param changed is called with each policy for which a cluster was added or removed */
  constructor(changed: (policy: string) => void) {
    this.#changed = changed;
  }

  /** How often a selector was applied to a cluster. */
  get evaluations(): number {
    return this.#evaluations;
  }

  /** Replaces the selectors that a policy uses. Selectors that are already in use are not applied again. */
  assign(policy: string, selectors: readonly LabelSelector[]): void {
    const { created, unused } = this.#uses.assign(policy, selectors);
    for (const use of unused) for (const key of use.selector.keys) this.#byLabel.delete(key, use);
    for (const use of created) {
      for (const key of use.selector.keys) this.#byLabel.add(key, use);
      for (const [name, labels] of this.#clusters) this.#apply(use, name, labels);
    }
  }

  /** The names of the clusters that match a selector that is in use. */
  matching(selector: LabelSelector): ReadonlySet<string> {
    return this.#uses.get(selector)?.members ?? NONE;
  }

  set(name: string, labels: Labels): void {
    const before = this.#clusters.get(name);
    this.#clusters.set(name, labels);
    const uses =
      before === undefined ? this.#uses.all() : this.#byLabel.union(changedLabels(before, labels));
    for (const use of uses) this.#apply(use, name, labels);
  }

  remove(name: string): void {
    this.#clusters.delete(name);
    for (const use of this.#uses.all()) if (use.members.delete(name)) this.#report(use);
  }

  #apply(use: SelectorUse, name: string, labels: Labels): void {
    this.#evaluations += 1;
    const matches = use.selector.matches(labels);
    if (matches === use.members.has(name)) return;
    if (matches) use.members.add(name);
    else use.members.delete(name);
    this.#report(use);
  }

  #report(use: SelectorUse): void {
    for (const policy of use.policies) this.#changed(policy);
  }
}
