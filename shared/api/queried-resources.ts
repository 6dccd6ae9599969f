import { nearestName } from '#shared/core/nearest-name.ts';
import { type GroupResource, resourceText } from '#shared/core/status-api/status-name.ts';
import type { NamedWorkloads, QueryFault } from '#shared/core/status-api/status-query.ts';
import type { Scope, StatusSource } from '#shared/ports/status-source.ts';
import type { User } from './api-request.ts';
import {
  CREATE_CLUSTER_QUERY,
  CREATE_NAMESPACED_QUERY,
  NO_ALL_NAMESPACES,
  noObjects,
  noObjectsOfGroup,
} from './query-messages.ts';
import { Readable } from './readable.ts';
import type { Reviews } from './reviews.ts';

/** Who asks about which objects. */
interface Asked {
  readonly user: User;
  readonly scope: Scope;
  readonly workloads: NamedWorkloads;
}

function isAsked({ resource, group }: NamedWorkloads, one: GroupResource): boolean {
  return (resource ?? one.resource) === one.resource && (group ?? one.group) === one.group;
}

/** The field that names a resource. Undefined if none does. */
function fieldOf({ resource, group }: NamedWorkloads): string | undefined {
  if (resource !== undefined) return 'spec.workloads.resource';
  return group === undefined ? undefined : 'spec.workloads.group';
}

/** Other objects of the resource than those of the scope, with the remedy. */
const ELSEWHERE: readonly (readonly [from: Scope | 'namespace', to: Scope, remedy?: string])[] = [
  ['namespace', 'all-namespaces'],
  ['namespace', 'cluster', CREATE_CLUSTER_QUERY],
  ['cluster', 'all-namespaces', CREATE_NAMESPACED_QUERY],
  ['all-namespaces', 'cluster', NO_ALL_NAMESPACES],
];

/** The remedy if there are objects of the resource elsewhere: `''` if they are only in other namespaces. */
async function remedyElsewhere(
  source: Pick<StatusSource, 'resourcesIn'>,
  { scope, workloads }: Asked,
  signal: AbortSignal,
): Promise<string | undefined> {
  const place = typeof scope === 'object' ? 'namespace' : scope;
  for (const [from, to, remedy = ''] of ELSEWHERE) {
    if (from !== place) continue;
    const others = await source.resourcesIn(to, signal);
    if (others.some((one) => isAsked(workloads, one))) return remedy;
  }
  return undefined;
}

/** The fault of a resource, or of a group, of which there is nothing. */
function unknown(
  { resource, group = '' }: NamedWorkloads,
  known: readonly GroupResource[],
): string {
  if (resource === undefined) {
    const groups = known.map((one) => one.group).filter((one) => one !== '');
    return noObjectsOfGroup(group, nearestName(group, groups));
  }
  const asked = resourceText({ resource, group });
  return noObjects(asked, nearestName(asked, known.map(resourceText)));
}

/**
 * Reviews the resources that a query is about. Of those that the reader may not get, no rows are read.
 *
 * @returns a fault if the query asks for a resource of which there are no objects
 * @throws StatusError 403 if the reader may get none of the resources that the query asks for; 503
 */
export async function readableWorkloads(
  {
    source,
    reviews,
  }: { readonly source: Pick<StatusSource, 'resourcesIn'>; readonly reviews: Reviews },
  asked: Asked,
  signal: AbortSignal,
): Promise<{ readonly readable: Readable } | { readonly fault: QueryFault }> {
  const { user, scope, workloads } = asked;
  const namespace = typeof scope === 'object' ? scope.namespace : '';
  const { resource, group } = workloads;
  const get = { verb: 'get', namespace, name: '' } as const;
  // A user who may not get a resource does not learn whether it has objects.
  if (resource !== undefined && group !== undefined)
    await reviews.require(user, { ...get, group, resource });
  const place = { scope, name: '' };
  const readable = new Readable(reviews, user, place);
  const all = await source.resourcesIn(scope, signal);
  const found = all.filter((one) => isAsked(workloads, one));
  await readable.review(found);
  const [first] = found;
  const field = fieldOf(workloads);
  if (field === undefined || found.some((one) => readable.has(one))) return { readable };
  if (first !== undefined) {
    await reviews.require(user, { ...get, ...first });
    return { readable };
  }
  const remedy = await remedyElsewhere(source, asked, signal);
  if (remedy === '') return { readable };
  if (remedy !== undefined) return { fault: { field, message: remedy } };
  const others = new Readable(reviews, user, place);
  await others.review(all);
  const known = all.filter((one) => others.has(one));
  return { fault: { field, message: unknown(workloads, known) } };
}
