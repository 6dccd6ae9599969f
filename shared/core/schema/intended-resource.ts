import { nearestName } from '#shared/core/nearest-name.ts';
import {
  type ApiResource,
  BUILT_IN_GROUPS,
  BUILT_IN_RESOURCES,
  builtInKind,
  isBuiltInGroup,
} from './built-in-kinds.ts';

/** Versions that are not listed here, and that a cluster may serve nevertheless. */
const PREVIEW = /^v\d+(?:alpha|beta)\d+$/;
/** The name by which documents call the group `''`. */
const CORE = 'core';

/** The first group of each resource that several groups have. */
const BY_PLURAL = new Map<string, ApiResource>();
for (const one of BUILT_IN_RESOURCES)
  if (!BY_PLURAL.has(one.resource)) BY_PLURAL.set(one.resource, one);

/** The resources of a group, by name. Of several versions, the first one counts. */
function resourcesOf(group: string): ReadonlyMap<string, ApiResource> {
  const ofGroup = BUILT_IN_RESOURCES.filter((one) => one.group === group);
  return new Map(ofGroup.reverse().map((one) => [one.resource, one]));
}

/**
 * Returns the group of Kubernetes that was probably meant by a group that Kubernetes does not have: one that differs in one
 * character, or `''` if it is called `core`. Returns `undefined` for any other group.
 */
export function intendedGroup(group: string): string | undefined {
  if (isBuiltInGroup(group)) return undefined;
  return group === CORE ? '' : nearestName(group, BUILT_IN_GROUPS, 1);
}

/** The resource of a group that has a name, or whose name is similar to it. */
function similarIn(group: string, resource: string): ApiResource | undefined {
  const own = resourcesOf(group);
  return own.get(resource) ?? own.get(nearestName(resource, own.keys()) ?? '');
}

/**
 * Returns the resource that was probably meant, if Kubernetes does not have the one that is named: a resource of another group
 * or version, or of the group whose name differs in one character, a misspelled one, or a kind. Returns `undefined` if the
 * resource exists, if no name is similar, if the version may be an alpha or beta version, or if the group is that of a
 * CustomResourceDefinition.
 */
export function intendedResource(named: ApiResource): ApiResource | undefined {
  const { group, version, resource } = named;
  if (builtInKind(named) !== undefined) return undefined;
  const meant = intendedGroup(group);
  if (meant !== undefined) return similarIn(meant, resource);
  if (!isBuiltInGroup(group) || PREVIEW.test(version)) return undefined;
  return resourcesOf(group).get(resource) ?? BY_PLURAL.get(resource) ?? similarIn(group, resource);
}

/**
 * Returns the resource that was probably meant by a name without a version, like {@link intendedResource}. If the group is not
 * given, the name may be that of any custom resource, so only a name that differs in one character is a misspelt one.
 *
 * @param group absent: any group
 */
export function intendedName(
  group: string | undefined,
  resource: string,
): Omit<ApiResource, 'version'> | undefined {
  if (group === undefined) {
    if (BY_PLURAL.has(resource)) return undefined;
    return BY_PLURAL.get(nearestName(resource, BY_PLURAL.keys(), 1) ?? '');
  }
  const meant = intendedGroup(group);
  if (meant !== undefined) return similarIn(meant, resource);
  if (!isBuiltInGroup(group) || resourcesOf(group).has(resource)) return undefined;
  return BY_PLURAL.get(resource) ?? similarIn(group, resource);
}
