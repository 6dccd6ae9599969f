import type { JsonValue } from '#shared/core/json.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';

/** The path of a group version: `/api/v1` for the core group, `/apis/<group>/<version>` for other groups. */
export function groupVersionPath(resource: Pick<Resource, 'group' | 'version'>): string {
  const { group, version } = resource;
  return group === ''
    ? `/api/${encodeURIComponent(version)}`
    : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
}

/** The path of the collection of a resource; without a namespace, of the whole cluster. */
export function collectionPath(resource: Resource, namespace = ''): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${groupVersionPath(resource)}${scope}/${encodeURIComponent(resource.resource)}`;
}

/** The path of one object. */
export function objectPath(ref: ObjectRef): string {
  return `${collectionPath(ref, ref.namespace)}/${encodeURIComponent(ref.name)}`;
}

/** Adds the parameters that have a value to a path. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, JsonValue | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The name of an object in messages: `deployments.apps/v1 default/web`. */
export function objectName(ref: ObjectRef): string {
  return `${resourceName(ref)} ${ref.namespace === '' ? '' : `${ref.namespace}/`}${ref.name}`;
}
