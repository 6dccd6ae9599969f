/** Where in the API a path leads: a resource, an object, or a subresource of an object. */
export interface ApiPath {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Absent: cluster scope, or all namespaces. */
  readonly namespace: string | undefined;
  /** Absent: the whole resource. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function groupVersionOf(
  segments: readonly string[],
): readonly [string, string, readonly string[]] | undefined {
  const [root, first, second] = segments;
  if (root === 'api' && first !== undefined) return ['', first, segments.slice(2)];
  if (root === 'apis' && first && second) return [first, second, segments.slice(3)];
  return undefined;
}

/**
 * Reads `/api/v1/...` and `/apis/<group>/<version>/...` down to at least a resource; `undefined` for any other path.
 * A namespace itself is an object of the resource `namespaces`.
 */
export function parseApiPath(path: string): ApiPath | undefined {
  const [group, version, rest] = groupVersionOf(decoded(path) ?? []) ?? [];
  if (group === undefined || version === undefined || rest === undefined) return undefined;
  const inNamespace =
    rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [resource, name, subresource, ...more] = inNamespace ? rest.slice(2) : rest;
  if (!resource || more.length > 0 || name === '') return undefined;
  return {
    group,
    version,
    resource,
    namespace: inNamespace ? rest[1] : undefined,
    name,
    subresource,
  };
}
