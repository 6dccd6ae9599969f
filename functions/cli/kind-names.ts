import { at, type JsonObject } from '#shared/core/json.ts';

/** Kinds of Kubernetes whose resource is not the plural that English makes, by group/kind. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['/Endpoints', 'endpoints'],
  ['metrics.k8s.io/NodeMetrics', 'nodes'],
  ['metrics.k8s.io/PodMetrics', 'pods'],
]);

function plural(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** The name of a kind's resource. */
export type ResourceOf = (group: string, kind: string) => string;

/**
 * Names resources: as a CustomResourceDefinition says, else as Kubernetes has it, else the lower-case plural.
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
  return (group, kind) => {
    const key = `${group}/${kind}`;
    return defined.get(key) ?? IRREGULAR.get(key) ?? plural(kind.toLowerCase());
  };
}
