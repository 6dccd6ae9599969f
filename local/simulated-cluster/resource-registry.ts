import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { apiVersionOf, type ResourceDefinition } from './resources.ts';

function pathOf({ group, version, resource }: Resource): string {
  return `${group}/${version}/${resource}`;
}

/** The resources that a cluster serves now. */
export class ResourceRegistry {
  readonly #byPath = new Map<string, ResourceDefinition>();
  readonly #byKind = new Map<string, ResourceDefinition>();

  constructor(definitions: readonly ResourceDefinition[]) {
    for (const definition of definitions) this.add(definition);
  }

  /** Serves a resource. It replaces one of the same group, version and name. */
  add(definition: ResourceDefinition): void {
    this.#byPath.set(pathOf(definition), definition);
    this.#byKind.set(`${apiVersionOf(definition)}/${definition.kind}`, definition);
  }

  /** Stops serving a resource. */
  remove(definition: ResourceDefinition): void {
    this.#byPath.delete(pathOf(definition));
    this.#byKind.delete(`${apiVersionOf(definition)}/${definition.kind}`);
  }

  find(resource: Resource): ResourceDefinition | undefined {
    return this.#byPath.get(pathOf(resource));
  }

  /** The resource of the objects with this `apiVersion` and `kind`. */
  findKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** The served resources by `apiVersion` (`v1`, `apps/v1`), in the order in which they were added. */
  byApiVersion(): ReadonlyMap<string, readonly ResourceDefinition[]> {
    const versions = new Map<string, ResourceDefinition[]>();
    for (const definition of this.#byPath.values()) {
      const apiVersion = apiVersionOf(definition);
      const served = versions.get(apiVersion) ?? [];
      served.push(definition);
      versions.set(apiVersion, served);
    }
    return versions;
  }
}
