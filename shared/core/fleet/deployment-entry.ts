import type { JsonObject } from '#shared/core/json.ts';
import type { DeploymentRow } from './deployment-row.ts';
import type { ResourceState } from './resource-states.ts';

function given(name: string, value: string): JsonObject {
  return value === '' ? {} : { [name]: value };
}

/** A resource of a BundleDeployment in the form of the API. Empty members are left out. */
export function resourceEntry({
  ref,
  state,
  error,
  transitioning,
  message,
}: ResourceState): JsonObject {
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

/** What the API says about a BundleDeployment, besides its name. Empty members are left out. */
export function deploymentContent(row: DeploymentRow): JsonObject {
  const { cluster, bundle, repo, helmOp, state, message, counts } = row;
  return {
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
