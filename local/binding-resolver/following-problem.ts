import { groupResource, resourceName } from '#shared/core/resource-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import type { Reflectors } from '#shared/watch/reflectors.ts';

/**
 * Why a followed resource is not known, or `undefined` if it is known. That it is not served counts as known, but only
 * while the API server reports this. An API server that no longer answers may have begun to serve it.
 *
 * @param isRequired nothing is known without it
 */
export function followingProblem(
  resource: Resource,
  { phase, synced, unserved, error }: ReflectorState,
  isRequired: boolean,
): string | undefined {
  const isKnown = synced && (unserved === undefined || (!isRequired && phase === 'not-served'));
  if (isKnown) return undefined;
  return `${resourceName(resource)}: ${phase === 'not-served' ? 'not served' : (error ?? phase)}`;
}

/** The resources that the API server last reported as not served, as `<group>/<resource>`. */
export function unservedOf(reflectors: Reflectors): readonly string[] {
  const unserved = reflectors.entries().filter(([, state]) => state.unserved === true);
  return unserved.map(([resource]) => groupResource(resource));
}
