import { type Intern, KnownNames } from './known-names.ts';
import type { ItemName, ServedResource } from './served-resource.ts';

function keyOf({ namespace, name }: ItemName): string {
  return `${namespace}/${name}`;
}

/** The objects that the client of a watch has: their names and, of some resources, what they say. */
export class ClientObjects<T> {
  readonly #served: ServedResource<T>;
  readonly #intern: Intern;
  readonly #names: KnownNames;
  /** Digests by name. */
  readonly #digests = new Map<string, string>();

  constructor(served: ServedResource<T>, intern: Intern) {
    this.#served = served;
    this.#intern = intern;
    this.#names = new KnownNames(intern);
  }

  /** From now on the client has an object as it is here. @returns what that is to the client */
  put(name: ItemName, item: T): 'new' | 'changed' | 'same' {
    const isNew = this.#names.add(this.#served.familyOf(name), name.name);
    const isSame = this.#isSame(name, item);
    if (isNew) return 'new';
    return isSame ? 'same' : 'changed';
  }

  #isSame(name: ItemName, item: T): boolean {
    const digest = this.#served.digestOf?.(item);
    if (digest === undefined) return false;
    const key = keyOf(name);
    const isSame = this.#digests.get(key) === digest;
    if (!isSame) this.#digests.set(this.#intern(key), digest);
    return isSame;
  }

  /** @returns whether the client had it */
  delete(name: ItemName): boolean {
    this.#digests.delete(keyOf(name));
    return this.#names.delete(this.#served.familyOf(name), name.name);
  }

  /** Whether the client has an object. */
  has(name: ItemName): boolean {
    return this.#names.has(this.#served.familyOf(name), name.name);
  }

  /** The names of a family that the client has. */
  names(family: string): readonly string[] {
    return this.#names.names(family);
  }
}
