/** An item that policies use. Policies that use the same item share it. */
interface SharedItem {
  /** Names of the policies that use it. */
  readonly policies: Set<string>;
}

/** The items that became used or unused when a policy changed. */
interface Assignment<Item> {
  /** Items that no policy had used before. */
  readonly created: readonly Item[];
  /** Items that no policy uses any more. */
  readonly unused: readonly Item[];
}

/** Keeps one item for each distinct text that policies use. An item is removed when no policy uses it any more. */
export class SharedItems<Spec extends { readonly text: string }, Item extends SharedItem> {
  readonly #items = new Map<string, Item>();
  readonly #itemsOf = new Map<string, ReadonlyMap<string, Item>>();
  readonly #create: (spec: Spec) => Item;

  constructor(create: (spec: Spec) => Item) {
    this.#create = create;
  }

  all(): Iterable<Item> {
    return this.#items.values();
  }

  get(spec: Spec): Item | undefined {
    return this.#items.get(spec.text);
  }

  /** Replaces the items that a policy uses. If the policy was removed, the list is empty. */
  assign(policy: string, specs: readonly Spec[]): Assignment<Item> {
    const created: Item[] = [];
    const used = new Map<string, Item>();
    for (const spec of specs) {
      const known = this.#items.get(spec.text);
      const item = known ?? this.#create(spec);
      if (known === undefined) created.push(item);
      item.policies.add(policy);
      this.#items.set(spec.text, item);
      used.set(spec.text, item);
    }
    const unused = this.#release(policy, used);
    if (used.size > 0) this.#itemsOf.set(policy, used);
    else this.#itemsOf.delete(policy);
    return { created, unused };
  }

  /** Ends the policy's use of all items that are not in `kept`. */
  #release(policy: string, kept: ReadonlyMap<string, Item>): readonly Item[] {
    const unused: Item[] = [];
    for (const [text, item] of this.#itemsOf.get(policy) ?? []) {
      if (kept.has(text)) continue;
      item.policies.delete(policy);
      if (item.policies.size > 0) continue;
      this.#items.delete(text);
      unused.push(item);
    }
    return unused;
  }
}
