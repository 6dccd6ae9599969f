import { desiredFleet } from '#shared/core/desired/desired-fleet.ts';
import { type DesiredStatus, statusWith } from '#shared/core/fleet/desired-status.ts';
import {
  type StatusDifferences,
  statusDifferences,
} from '#shared/core/fleet/status-differences.ts';
import {
  FLEET_GROUP,
  FLEET_KINDS,
  FLEET_VERSION,
  type FleetResource,
  namespacedName,
} from '#shared/core/fleet-object.ts';
import { equalJson, type JsonObject, stringifyJson, textAt } from '#shared/core/json.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';
import { type Cluster, listObjects } from '../clusters.ts';

/** An object of Fleet that stands in its management cluster. */
export interface Standing {
  readonly ref: ObjectRef;
  readonly object: JsonObject;
}

/** Where an object of Fleet is; a Job is one that a GitRepo owns. */
export function fleetRef(resource: FleetResource, namespace: string, name: string): ObjectRef {
  const api: Resource =
    resource === 'jobs'
      ? { group: 'batch', version: 'v1', resource }
      : { group: FLEET_GROUP, version: FLEET_VERSION, resource };
  return { ...api, namespace, name };
}

// It has exactly these keys.
const RESOURCES = Object.keys(FLEET_KINDS) as readonly FleetResource[];

/** What Jobs in a list do not say. */
const JOB = { apiVersion: 'batch/v1', kind: 'Job' };

/** All objects that statuses of Fleet follow from. */
export async function standingObjects(cluster: Cluster): Promise<readonly Standing[]> {
  const lists = await Promise.all(
    RESOURCES.map(async (resource) => {
      const objects = await listObjects(cluster, fleetRef(resource, '', ''));
      return objects.map((object): Standing => {
        const text = (field: string): string => textAt(object, 'metadata', field);
        const ref = fleetRef(resource, text('namespace'), text('name'));
        return { ref, object: resource === 'jobs' ? { ...JOB, ...object } : object };
      });
    }),
  );
  return lists.flat();
}

/** An object with the status that it should have. */
export interface Judged extends Standing {
  /** `<kind> <namespace>/<name>` */
  readonly id: string;
  readonly desired: DesiredStatus;
}

/** What every status should be that is not to be left as it is, computed anew from everything that stands. */
export function judged(objects: readonly Standing[]): readonly Judged[] {
  const all = objects.map(({ ref, object }) => {
    const kind = FLEET_KINDS[ref.resource as FleetResource];
    return { ref, kind, namespace: ref.namespace, name: ref.name, object };
  });
  const statuses = desiredFleet(all, Date.now());
  return all.flatMap((one): readonly Judged[] => {
    const { ref, kind, namespace, name, object } = one;
    const desired = statuses.get(one);
    const id = `${kind} ${namespacedName(namespace, name)}`;
    return desired === undefined ? [] : [{ ref, object, id, desired }];
  });
}

/** The time as statuses have it. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+/, '');
}

/** Which statuses are not what they should be, and what they should be. */
export async function wrongStatuses(cluster: Cluster): Promise<readonly string[]> {
  return judged(await standingObjects(cluster)).flatMap(({ id, object, desired }) => {
    const stored = object['status'] ?? {};
    const wanted = statusWith(stored, desired, now());
    return equalJson(stored, wanted)
      ? []
      : [`${id}: ${stringifyJson(stored)} instead of ${stringifyJson(wanted)}`];
  });
}

/** How each status that differs does so, by `<kind> <namespace>/<name>`. */
export async function standingDifferences(
  cluster: Cluster,
): Promise<Readonly<Record<string, StatusDifferences>>> {
  const all = judged(await standingObjects(cluster)).map(
    ({ id, object, desired }) => [id, statusDifferences(object['status'], desired)] as const,
  );
  return Object.fromEntries(all.filter(([, { total }]) => total > 0));
}
