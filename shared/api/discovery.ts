import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { DiscoveryVersion } from './accept.ts';
import { API_VERSION, GROUP, VERSION } from './api-group.ts';
import type { ResourceNames } from './served-resource.ts';

/**
 * What can be done with the resources. Without `delete` and `deletecollection`, the garbage collector, quotas and the deletion of
 * namespaces leave them alone.
 */
export function verbsOf(watch: boolean): readonly string[] {
  return watch ? ['get', 'list', 'watch'] : ['get', 'list'];
}

/** A resource, and what can be done with it. */
export interface DiscoveredResource {
  readonly names: ResourceNames;
  readonly verbs: readonly string[];
}

const GROUP_VERSION = { groupVersion: API_VERSION, version: VERSION };
const NAMED_GROUP: JsonObject = {
  name: GROUP,
  versions: [GROUP_VERSION],
  preferredVersion: GROUP_VERSION,
};

/** The answer of `/apis`. */
export function groupList(): JsonObject {
  return { apiVersion: 'v1', kind: 'APIGroupList', groups: [NAMED_GROUP] };
}

/** The answer of `/apis/<group>`. */
export function apiGroup(): JsonObject {
  return { apiVersion: 'v1', kind: 'APIGroup', ...NAMED_GROUP };
}

/** The answer of `/apis/<group>/<version>`. */
export function resourceList(resources: readonly DiscoveredResource[]): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'APIResourceList',
    groupVersion: API_VERSION,
    resources: resources.map(({ names, verbs }): JsonValue => {
      const { plural, singular, kind, shortNames, namespaced } = names;
      return { name: plural, singularName: singular, kind, shortNames, namespaced, verbs };
    }),
  };
}

/** The answer of `/apis` for clients that ask for aggregated discovery: everything at once. */
export function aggregatedGroups(
  resources: readonly DiscoveredResource[],
  discovery: DiscoveryVersion,
): JsonObject {
  const listed = resources.map(({ names, verbs }): JsonValue => {
    const { plural, singular, kind, shortNames, namespaced } = names;
    return {
      resource: plural,
      responseKind: { group: GROUP, version: VERSION, kind },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      singularResource: singular,
      shortNames,
      verbs,
    };
  });
  const version = { version: VERSION, freshness: 'Current', resources: listed };
  return {
    apiVersion: `apidiscovery.k8s.io/${discovery}`,
    kind: 'APIGroupDiscoveryList',
    metadata: {},
    items: [{ metadata: { name: GROUP, creationTimestamp: null }, versions: [version] }],
  };
}
