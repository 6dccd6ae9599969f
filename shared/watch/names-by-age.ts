import type { JsonObject } from '#shared/core/json.ts';
import { createdOf, uidOf } from '#shared/core/metadata.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

interface Naming {
  /** What the API server has set, so nobody gets before another by what he writes. */
  readonly age: string;
  readonly resources: readonly Resource[];
}

function byAge(a: Naming, b: Naming): number {
  return a.age < b.age ? -1 : Number(a.age > b.age);
}

/** The resources that some objects name: what the oldest of them names comes first. */
export class NamesByAge {
  readonly #naming = new Map<string, Naming>();

  /** An object names these now, whatever it named before. `key` is the reflector's. */
  set(key: string, object: JsonObject, resources: Iterable<Resource>): void {
    const distinct = new Map<string, Resource>();
    for (const { group, version, resource } of resources) {
      const one = { group, version, resource };
      distinct.set(resourceName(one), one);
    }
    const age = `${createdOf(object)} ${uidOf(object)} ${key}`;
    this.#naming.set(key, { age, resources: [...distinct.values()] });
  }

  /** An object names nothing any more. */
  delete(key: string): void {
    this.#naming.delete(key);
  }

  /** What is named; what several objects name comes several times. */
  resources(): readonly Resource[] {
    return [...this.#naming.values()].sort(byAge).flatMap(({ resources }) => resources);
  }
}
