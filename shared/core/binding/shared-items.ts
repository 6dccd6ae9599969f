/** Something that policies use, kept once for all of those that use the same. */
interface SharedItem {
  /** Names of the policies that use it. */
  readonly policies: Set<string>;
}

/** What became of the items when a policy changed. */
interface Assignment<Item> {
  /** Items that no policy had used before. */
  readonly created: readonly Item[];
  /** Items that no policy uses any more. */
  readonly unused: readonly Item[];
}

/** Keeps one item for each distinct text that policies use, as long as one uses it. */
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

  /** Makes a policy use these and no others; an empty list when the policy is gone. */
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

  /** Ends the use of all items that are not among those that are kept. */
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
