import { groupResource } from '#shared/core/resource-name.ts';
import type { Discovery, Resource } from '#shared/ports/kubernetes-api.ts';

/** The versions in which a cluster serves a resource, by `<group>/<resource>`, in its order of preference. */
type ServedVersions = ReadonlyMap<string, readonly string[]>;

/** What is to be followed of the resources that somebody names. */
export interface Choice {
  /** One version of each group and resource. */
  readonly followed: readonly Resource[];
  /** What is served in no version. */
  readonly unserved: readonly Resource[];
  /** What may be served: nobody could be asked. */
  readonly unknown: readonly Resource[];
  /** What is followed in another version, since the one that is named is not served. */
  readonly misnamed: readonly Resource[];
  /** What is served and not followed, since more is named than may be. */
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

/** How discovery speaks of a resource: `unknown` where nobody answered for its group. */
export type Presence = 'served' | 'other-version' | 'left-out' | 'unknown';

/** How discovery speaks of a resource in this version. */
export function presenceOf(resource: Resource, discovery: Discovery): Presence {
  const key = groupResource(resource);
  const info = discovery.resources.find((one) => groupResource(one) === key);
  if (info === undefined)
    return discovery.unanswered.includes(resource.group) ? 'unknown' : 'left-out';
  const versions = [info.version, ...(info.otherVersions ?? [])];
  return versions.includes(resource.version) ? 'served' : 'other-version';
}

/**
 * What of the names of one resource is followed: the version that is followed, while it is served; else the first in the
 * server's order that somebody names; else the one that the server prefers.
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
 * Chooses what to follow of the resources that somebody names, in any version. Only what is served is followed, so a
 * name that means nothing takes nothing away: which version is followed changes only where it is served no longer. What
 * is followed and discovery leaves out stays until its own address denies it, too: it may belong to an aggregated API
 * server that is down.
 *
 * @param max how many resources are followed, of those that are named first
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
