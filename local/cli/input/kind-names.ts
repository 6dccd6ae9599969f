import { at, type JsonObject } from '#shared/core/json.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';

/** The name of a kind's resource. */
export type ResourceOf = (group: string, kind: string) => string;

/**
 * Finds the names of resources: from a CustomResourceDefinition, otherwise from Kubernetes, otherwise the lower-case
 * plural.
 *
 * @param definitions CustomResourceDefinitions
 */
export function createResourceNames(definitions: readonly JsonObject[]): ResourceOf {
  const defined = new Map<string, string>();
  for (const definition of definitions) {
    const [group, kind, name] = [['group'], ['names', 'kind'], ['names', 'plural']].map((path) =>
      at(definition, 'spec', ...path),
    );
    if (typeof name === 'string') defined.set(`${group}/${kind}`, name);
  }
  return (group, kind) => defined.get(`${group}/${kind}`) ?? kindPlural(group, kind);
}
