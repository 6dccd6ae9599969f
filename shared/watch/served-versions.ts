import { groupResource } from '#shared/core/resource-name.ts';
import type { Discovery, Resource } from '#shared/ports/kubernetes-api.ts';

/** The versions in which a cluster serves a resource, by `<group>/<resource>`, in its order of preference. */
type ServedVersions = ReadonlyMap<string, readonly string[]>;

/** The named resources, divided by what can be followed. */
export interface Choice {
  /** One version of each group and resource. */
  readonly followed: readonly Resource[];
  /** Resources that are served in no version. */
  readonly unserved: readonly Resource[];
  /** Resources that may be served: discovery of their groups failed. */
  readonly unknown: readonly Resource[];
  /** Resources that are followed in another version, because the named version is not served. */
  readonly misnamed: readonly Resource[];
  /** Resources that are served but not followed, because too many are named. */
  readonly beyond: readonly Resource[];
}

/** A resource that is followed, and whether the API server denied it when it was last listed. */
export interface FollowedResource {
  readonly resource: Resource;
  readonly denied: boolean;
}

function servedVersions({ resources }: Discovery): ServedVersions {
  return new Map(
    resources.map((info) => [groupResource(info), [info.version, ...(info.otherVersions ?? [])]]),
  );
}

/** The presence of a resource in discovery. `unknown`: there was no answer for its group. */
export type Presence = 'served' | 'other-version' | 'left-out' | 'unknown';

/** The presence of a resource in this version in discovery. */
export function presenceOf(resource: Resource, discovery: Discovery): Presence {
  const key = groupResource(resource);
  const info = discovery.resources.find((one) => groupResource(one) === key);
  if (info === undefined)
    return discovery.unanswered.includes(resource.group) ? 'unknown' : 'left-out';
  const versions = [info.version, ...(info.otherVersions ?? [])];
  return versions.includes(resource.version) ? 'served' : 'other-version';
}

/**
 * The version of one resource to follow: the version that is followed, while it is served. Otherwise the first named version in
 * the order of the server. Otherwise the version that the server prefers.
 */
function followedOf(
  names: readonly Resource[],
  current: FollowedResource | undefined,
  versions: readonly string[],
): Resource | undefined {
  const before = current?.resource;
  if (before !== undefined && versions.includes(before.version)) return before;
  const named = versions.find((one) => names.some(({ version }) => version === one));
  const version = named ?? versions[0];
  const [first] = names;
  if (version !== undefined && first !== undefined)
    return { group: first.group, version, resource: first.resource };
  return current?.denied === false ? before : undefined;
}

/**
 * Chooses the resources to follow from the named ones, in any version. Only served resources are followed, so an invalid name
 * has no effect on others: the followed version changes only if it is no longer served. A followed resource that discovery
 * leaves out stays until its own address denies it too, because it may belong to an aggregated API server that is down.
 *
 * @param max the maximum number of resources to follow; those that are named first are followed
 */
export function chooseServed(
  named: Iterable<Resource>,
  followed: readonly FollowedResource[],
  { discovery, max }: { readonly discovery: Discovery; readonly max: number },
): Choice {
  const served = servedVersions(discovery);
  const unanswered = new Set(discovery.unanswered);
  const current = new Map(followed.map((one) => [groupResource(one.resource), one]));
  const candidates = [...Map.groupBy(named, groupResource)].map(([key, names]) => {
    const versions = served.get(key) ?? [];
    return { names, versions, one: followedOf(names, current.get(key), versions) };
  });
  const [missing, found] = [
    candidates.filter(({ one }) => one === undefined).flatMap(({ names }) => names),
    candidates.filter(({ one }) => one !== undefined),
  ];
  const taken = found.slice(0, max);
  return {
    followed: taken.flatMap(({ one }) => one ?? []),
    unserved: missing.filter(({ group }) => !unanswered.has(group)),
    unknown: missing.filter(({ group }) => unanswered.has(group)),
    misnamed: taken.flatMap(({ names, versions, one }) =>
      names.filter(({ version }) => version !== one?.version && !versions.includes(version)),
    ),
    beyond: found.slice(max).flatMap(({ names }) => names),
  };
}
