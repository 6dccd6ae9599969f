import type { JsonObject } from '#shared/core/json.ts';
import { createdOf, uidOf } from '#shared/core/metadata.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

interface Naming {
  /** A value that the API server has set, so that nobody can get precedence by the content of an object. */
  readonly age: string;
  readonly resources: readonly Resource[];
}

function byAge(a: Naming, b: Naming): number {
  return a.age < b.age ? -1 : Number(a.age > b.age);
}

/** The resources that some objects name. The names of the oldest object come first. */
export class NamesByAge {
  readonly #naming = new Map<string, Naming>();

  /** Sets the resources that an object names, which replace its previous ones. `key` is the reflector's. */
  set(key: string, object: JsonObject, resources: Iterable<Resource>): void {
    const distinct = new Map<string, Resource>();
    for (const { group, version, resource } of resources) {
      const one = { group, version, resource };
      distinct.set(resourceName(one), one);
    }
    const age = `${createdOf(object)} ${uidOf(object)} ${key}`;
    this.#naming.set(key, { age, resources: [...distinct.values()] });
  }

  /** Records that an object no longer names any resources. */
  delete(key: string): void {
    this.#naming.delete(key);
  }

  /** The named resources. A resource that several objects name occurs several times. */
  resources(): readonly Resource[] {
    return [...this.#naming.values()].sort(byAge).flatMap(({ resources }) => resources);
  }
}
