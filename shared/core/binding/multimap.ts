const NONE: ReadonlySet<never> = new Set();

/** A map from a key to a set of values. A key without values takes no memory. */
export class Multimap<Key, Value> {
  readonly #sets = new Map<Key, Set<Value>>();

  get(key: Key): ReadonlySet<Value> {
    return this.#sets.get(key) ?? NONE;
  }

  add(key: Key, value: Value): void {
    const values = this.#sets.get(key);
    if (values === undefined) this.#sets.set(key, new Set([value]));
    else values.add(value);
  }

  delete(key: Key, value: Value): void {
    const values = this.#sets.get(key);
    if (values?.delete(value) && values.size === 0) this.#sets.delete(key);
  }

  /** The values of all of the keys, each once. */
  union(keys: Iterable<Key>): ReadonlySet<Value> {
    const values = new Set<Value>();
    for (const key of keys) for (const value of this.get(key)) values.add(value);
    return values;
  }
}
