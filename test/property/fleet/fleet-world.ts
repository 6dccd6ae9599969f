import fc from 'fast-check';
import { desiredFleet } from '#shared/core/desired/desired-fleet.ts';
import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import { type DesiredStatus, statusWith } from '#shared/core/fleet/desired-status.ts';
import type { FleetKind } from '#shared/core/fleet-object.ts';
import { bundleDeployment } from './fleet-deployments.ts';
import {
  bundle,
  cluster,
  clusterGroup,
  gitRepo,
  helmOp,
  job,
  NOW_MS,
  type Objects,
  SEEN,
} from './fleet-objects.ts';
import { PLACES } from './fleet-places.ts';

/** An object of a fleet, and where it comes among others. */
export interface RankedObject extends FleetObject {
  readonly rank: number;
}

const KINDS: readonly {
  readonly kind: FleetKind;
  readonly weight: number;
  readonly objects: Objects;
}[] = [
  { kind: 'BundleDeployment', weight: 12, objects: bundleDeployment },
  { kind: 'Bundle', weight: 4, objects: bundle },
  { kind: 'Cluster', weight: 5, objects: cluster },
  { kind: 'ClusterGroup', weight: 2, objects: clusterGroup },
  { kind: 'GitRepo', weight: 2, objects: gitRepo },
  { kind: 'HelmOp', weight: 1, objects: helmOp },
  { kind: 'Job', weight: 2, objects: job },
];

function objectsOf(kind: FleetKind, objects: Objects): fc.Arbitrary<RankedObject> {
  return fc
    .constantFrom(...PLACES[kind])
    .chain((place) =>
      fc
        .record({ object: objects(place), rank: fc.nat() })
        .map(({ object, rank }) => ({ kind, ...place, object, rank })),
    );
}

const anyObject = fc.oneof(
  ...KINDS.map(({ kind, weight, objects }) => ({ weight, arbitrary: objectsOf(kind, objects) })),
);

/** Names an object among those of a fleet. */
export function idOf({ kind, namespace, name }: FleetObject): string {
  return `${kind} ${namespace}/${name}`;
}

/** The objects of a fleet, each once. */
export const fleets: fc.Arbitrary<readonly RankedObject[]> = fc.uniqueArray(anyObject, {
  minLength: 20,
  maxLength: 80,
  selector: idOf,
});

/** What the statuses should be, by object. */
export function statusesOf(objects: readonly FleetObject[]): ReadonlyMap<string, DesiredStatus> {
  const statuses = desiredFleet(objects, NOW_MS);
  return new Map([...statuses].map(([one, desired]) => [idOf(one), desired]));
}

/** Objects with the statuses that are wanted of them. */
export function writtenBack(objects: readonly FleetObject[]): readonly FleetObject[] {
  const statuses = desiredFleet(objects, NOW_MS);
  return objects.map((one) => {
    const desired = statuses.get(one);
    if (desired === undefined) return one;
    return {
      ...one,
      object: { ...one.object, status: statusWith(one.object['status'], desired, SEEN) },
    };
  });
}
