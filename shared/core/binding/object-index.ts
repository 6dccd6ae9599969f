import type { DownsyncObject } from './downsync-object.ts';
import { admits, DIMENSIONS, type Dimension, type DownsyncTest } from './downsync-test.ts';
import { Multimap } from './multimap.ts';

/** An object of the WDS, with what is known about it. */
export interface IndexedObject {
  /** The object as it was last seen. Its names never change. */
  current: DownsyncObject;
  /** The resourceVersion at which the content last changed, as far as known. */
  boundResourceVersion: string;
}

function byDimension<Value>(): Readonly<Record<Dimension, Multimap<string, Value>>> {
  return {
    name: new Multimap(),
    namespace: new Multimap(),
    resource: new Multimap(),
    group: new Multimap(),
  };
}

/** Finds the objects whose names a test admits. If the test lists any names, the other objects are not checked. */
export class ObjectIndex<Item extends IndexedObject> {
  readonly #items = new Set<Item>();
  readonly #byDimension = byDimension<Item>();

  add(item: Item): void {
    this.#items.add(item);
    for (const dimension of DIMENSIONS)
      this.#byDimension[dimension].add(item.current[dimension], item);
  }

  delete(item: Item): void {
    this.#items.delete(item);
    for (const dimension of DIMENSIONS)
      this.#byDimension[dimension].delete(item.current[dimension], item);
  }

  /** The objects whose names pass. */
  admittedBy(test: DownsyncTest): readonly Item[] {
    return [...this.#candidates(test)].filter(({ current }) => admits(test, current));
  }

  /** The objects of a namespace whose names pass. */
  admittedIn(namespace: string, test: DownsyncTest): readonly Item[] {
    const items = [...this.#byDimension.namespace.get(namespace)];
    return items.filter(({ current }) => admits(test, current));
  }

  #candidates(test: DownsyncTest): ReadonlySet<Item> {
    for (const dimension of DIMENSIONS) {
      const values = test.exact[dimension];
      if (values !== undefined) return this.#byDimension[dimension].union(values);
    }
    return this.#items;
  }
}
