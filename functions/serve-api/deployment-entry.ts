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

/** A BundleDeployment as it is listed; what is empty is left out. */
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
 * An entry that would be larger than a whole answer may be: with the first of its resources, and how many are left out.
 *
 * @param maxBytes about what it may have
 */
export function shortEntry(row: DeploymentRow, maxBytes: number): JsonObject {
  // Half of it: texts are longer within a JSON text.
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
