import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import type { ResourceState } from '#shared/core/fleet/resource-states.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';

function given(name: string, value: string): JsonObject {
  return value === '' ? {} : { [name]: value };
}

function resourceEntry({ ref, state, error, transitioning, message }: ResourceState): JsonObject {
  const { apiVersion, kind, namespace, name } = ref;
  return {
    apiVersion,
    kind,
    ...given('namespace', namespace),
    name,
    state,
    ...(error ? { error } : {}),
    ...(transitioning ? { transitioning } : {}),
    ...given('message', message),
  };
}

/** A BundleDeployment in the form of the list. Empty members are left out. */
export function deploymentEntry(row: DeploymentRow): JsonObject {
  const { namespace, name, cluster, bundle, repo, helmOp, state, message, counts } = row;
  return {
    namespace,
    name,
    ...given('cluster', cluster),
    bundle,
    ...given('gitRepo', repo),
    ...given('helmOp', helmOp),
    state,
    ...given('message', message),
    counts,
    resources: row.resources.map(([, resource]) => resourceEntry(resource)),
    ...(row.incomplete ? { incomplete: true } : {}),
  };
}

/**
 * A shorter entry, for one that would exceed a whole answer: it has the first resources, and the number of those that are left
 * out.
 *
 * @param maxBytes its approximate maximum
 */
export function shortEntry(row: DeploymentRow, maxBytes: number): JsonObject {
  // Half of the maximum, because texts are longer within a JSON text.
  let room = maxBytes / 2;
  const resources: JsonObject[] = [];
  for (const [, resource] of row.resources) {
    const entry = resourceEntry(resource);
    room -= Buffer.byteLength(stringifyJson(entry));
    if (room < 0) break;
    resources.push(entry);
  }
  const resourcesLeftOut = row.resources.length - resources.length;
  return { ...deploymentEntry({ ...row, resources: [] }), resources, resourcesLeftOut };
}
