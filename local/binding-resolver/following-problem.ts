import { groupResource, resourceName } from '#shared/core/resource-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import type { Reflectors } from '#shared/watch/reflectors.ts';
import { notKnown } from './messages.ts';

/**
 * Why a followed resource is not known, or `undefined` if it is known. That it is not served counts as known, but only
 * while the API server reports this. An API server that no longer answers may have begun to serve it.
 *
 * @param isRequired nothing is known without it
 */
function followingProblem(
  resource: Resource,
  { phase, synced, unserved, error }: ReflectorState,
  isRequired: boolean,
): string | undefined {
  const isKnown = synced && (unserved === undefined || (!isRequired && phase === 'not-served'));
  if (isKnown) return undefined;
  return notKnown(resourceName(resource), phase === 'not-served' ? 'not served' : (error ?? phase));
}

/** A followed resource that is not known, and why. */
export interface FollowingProblem {
  readonly resource: Resource;
  /** Names the resource. */
  readonly problem: string;
}

/**
 * The followed resources that are not known.
 *
 * @param isRequired whether nothing is known without the resource
 */
export function problemsOf(
  reflectors: Reflectors,
  isRequired: (resource: Resource) => boolean,
): readonly FollowingProblem[] {
  return reflectors.entries().flatMap(([resource, state]) => {
    const problem = followingProblem(resource, state, isRequired(resource));
    return problem === undefined ? [] : [{ resource, problem }];
  });
}

/**
 * The resources that the API server reports as not served, as `<group>/<resource>`. A resource that it serves in another version is
 * none of them.
 */
export function unservedOf(reflectors: Reflectors): readonly string[] {
  const unserved = reflectors
    .entries()
    .filter(([, state]) => state.unserved === true && state.phase === 'not-served');
  return unserved.map(([resource]) => groupResource(resource));
}
