/** Kinds of Kubernetes whose resource is not the regular English plural, by group/kind. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['/Endpoints', 'endpoints'],
  ['metrics.k8s.io/NodeMetrics', 'nodes'],
  ['metrics.k8s.io/PodMetrics', 'pods'],
]);

function plural(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Returns the name of the resource of a kind in Kubernetes: `deployments` for `apps` and `Deployment`. */
export function kindPlural(group: string, kind: string): string {
  return IRREGULAR.get(`${group}/${kind}`) ?? plural(kind.toLowerCase());
}
