import type { JsonObject } from '#shared/core/json.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { ResourceDefinition } from './resources.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** The Kubernetes version that a simulated cluster reports. */
export const GIT_VERSION = 'v1.36.3';

/** The answer of `/version`. */
export function versionInfo(): JsonObject {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(GIT_VERSION) ?? [];
  return {
    major,
    minor,
    gitVersion: `${GIT_VERSION}-simulated`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'simulated',
  };
}

/** The answer of `/api`. */
export function coreVersions(address: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

function apiGroup(name: string, apiVersions: readonly string[]): JsonObject {
  const versions = apiVersions.map((groupVersion) => ({
    groupVersion,
    version: groupVersion.slice(groupVersion.indexOf('/') + 1),
  }));
  return { name, versions, preferredVersion: versions[0] ?? null };
}

function groups(registry: ResourceRegistry): ReadonlyMap<string, readonly string[]> {
  const named = [...registry.byApiVersion().keys()].filter((version) => version.includes('/'));
  return Map.groupBy(named, (version) => version.slice(0, version.indexOf('/')));
}

/** The answer of `/apis`. */
export function groupList(registry: ResourceRegistry): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...groups(registry)].map(([name, versions]) => apiGroup(name, versions)),
  };
}

/** The answer of `/apis/<group>`, or `undefined` if the group is not served. */
export function group(registry: ResourceRegistry, name: string): JsonObject | undefined {
  const versions = groups(registry).get(name);
  return versions && { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(name, versions) };
}

function entries(definition: ResourceDefinition): readonly JsonObject[] {
  const { resource, kind, namespaced, shortNames = [], categories = [] } = definition;
  const entry: JsonObject = {
    name: resource,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs: VERBS,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  };
  const subresource = (name: string, of: JsonObject): JsonObject => ({
    name: `${resource}/${name}`,
    singularName: '',
    namespaced,
    verbs: SUBRESOURCE_VERBS,
    ...of,
  });
  return [
    entry,
    ...(definition.scale
      ? [subresource('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' })]
      : []),
    ...(definition.statusSubresource ? [subresource('status', { kind })] : []),
  ];
}

/** The answer of `/api/v1` and `/apis/<group>/<version>`, or `undefined` if it is not served. */
export function resourceList(
  registry: ResourceRegistry,
  apiVersion: string,
): JsonObject | undefined {
  const definitions = registry.byApiVersion().get(apiVersion);
  return (
    definitions && {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersion,
      resources: definitions.flatMap(entries),
    }
  );
}
