import type { DownsyncObjectRef } from './downsync-object.ts';
import { admits, DIMENSIONS, type DownsyncTest, keysOf } from './downsync-test.ts';
import { Multimap } from './multimap.ts';

/** Finds the tests that a change can affect: the reverse of what a test says. */
export class TestIndex<Item extends { readonly test: DownsyncTest }> {
  readonly #byName = new Multimap<string, Item>();
  readonly #byObjectLabel = new Multimap<string, Item>();
  readonly #byNamespaceLabel = new Multimap<string, Item>();
  readonly #byNamespace = new Multimap<string, Item>();

  add(item: Item): void {
    for (const [index, key] of this.#places(item)) index.add(key, item);
  }

  delete(item: Item): void {
    for (const [index, key] of this.#places(item)) index.delete(key, item);
  }

  /** The tests that admit an object by its names. */
  admitting(ref: DownsyncObjectRef): readonly Item[] {
    const names = DIMENSIONS.map((dimension) => `${dimension}/${ref[dimension]}`);
    return [...this.#byName.union(['', ...names])].filter(({ test }) => admits(test, ref));
  }

  /** The tests that admit an object by its names and read one of these labels of it. */
  readingObject(ref: DownsyncObjectRef, labels: Iterable<string>): readonly Item[] {
    return [...this.#byObjectLabel.union(labels)].filter(({ test }) => admits(test, ref));
  }

  /** The tests that select namespaces and can admit an object of this one. */
  selectingNamespace(namespace: string): ReadonlySet<Item> {
    return this.#byNamespace.union(['', `/${namespace}`]);
  }

  /** As {@link selectingNamespace}, of these only the tests that read one of these labels of the Namespace. */
  readingNamespace(namespace: string, labels: Iterable<string>): readonly Item[] {
    return [...this.#byNamespaceLabel.union(labels)].filter(
      ({ test }) => test.exact.namespace?.has(namespace) ?? true,
    );
  }

  /** Where a test stands: once by the most telling of its names, and by each label that it reads. */
  *#places({ test }: Item): Generator<readonly [Multimap<string, Item>, string]> {
    const dimension = DIMENSIONS.find((candidate) => test.exact[candidate] !== undefined);
    const names = dimension === undefined ? undefined : test.exact[dimension];
    for (const name of names ?? []) yield [this.#byName, `${dimension}/${name}`];
    if (names === undefined) yield [this.#byName, ''];
    for (const key of keysOf(test.objectSelectors)) yield [this.#byObjectLabel, key];
    for (const key of keysOf(test.namespaceSelectors)) yield [this.#byNamespaceLabel, key];
    if (test.namespaceSelectors === undefined) return;
    if (test.exact.namespace === undefined) yield [this.#byNamespace, ''];
    for (const namespace of test.exact.namespace ?? []) yield [this.#byNamespace, `/${namespace}`];
  }
}
