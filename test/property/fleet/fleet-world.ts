import fc from 'fast-check';
import { statusWith } from '#shared/core/fleet/desired-status.ts';
import { FleetAggregation, type FleetChange } from '#shared/core/fleet/fleet-aggregation.ts';
import { AGGREGATED_KINDS, type FleetKind } from '#shared/core/fleet/fleet-object.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
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

/** A change, and where its object comes when a new aggregation is filled. */
export interface RankedChange extends FleetChange {
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

function changesOf(kind: FleetKind, objects: Objects): fc.Arbitrary<RankedChange> {
  return fc
    .constantFrom(...PLACES[kind])
    .chain((place) =>
      fc
        .record({ object: fc.option(objects(place), { freq: 5, nil: undefined }), rank: fc.nat() })
        .map(({ object, rank }) => ({ kind, ...place, object, rank })),
    );
}

const anyChange = fc.oneof(
  ...KINDS.map(({ kind, weight, objects }) => ({ weight, arbitrary: changesOf(kind, objects) })),
);

/** A fleet, and what happens to it: each list of changes is taken before anything is asked. */
export const lives: fc.Arbitrary<readonly (readonly RankedChange[])[]> = fc
  .tuple(
    fc.array(anyChange, { minLength: 20, maxLength: 80 }),
    fc.array(fc.array(anyChange, { minLength: 1, maxLength: 3 }), { maxLength: 15 }),
  )
  .map(([first, later]) => [first, ...later]);

/** The objects that there are after changes. */
export class FleetObjects {
  readonly #objects = new Map<string, RankedChange>();

  apply(change: RankedChange): void {
    const key = `${change.kind} ${change.namespace}/${change.name}`;
    if (change.object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, change);
  }

  /** In the order of their ranks, which is a random one. */
  all(): readonly RankedChange[] {
    return [...this.#objects.values()].sort((a, b) => a.rank - b.rank);
  }

  /** An aggregation that has known nothing else. */
  aggregation(): FleetAggregation {
    const aggregation = new FleetAggregation({ nowMs: NOW_MS });
    for (const change of this.all()) aggregation.apply(change);
    return aggregation;
  }
}

/** Objects with the statuses that are wanted of them. */
export function writtenBack(objects: FleetObjects): FleetObjects {
  const aggregation = objects.aggregation();
  const written = new FleetObjects();
  for (const change of objects.all())
    written.apply({ ...change, object: withStatus(aggregation, change) });
  return written;
}

function withStatus(aggregation: FleetAggregation, { kind, namespace, name, object }: FleetChange) {
  const aggregated = AGGREGATED_KINDS.find((one) => one === kind);
  if (aggregated === undefined || object === undefined) return object;
  const desired = aggregation.desired(aggregated, `${namespace}/${name}`);
  if (desired === undefined) return object;
  return { ...object, status: statusWith(object['status'], desired, SEEN) };
}

/** The bytes of the statuses of everything that there ever was. */
export function statusesOf(aggregation: FleetAggregation): readonly string[] {
  return AGGREGATED_KINDS.flatMap((kind) =>
    PLACES[kind].map(({ namespace, name }) => {
      const id = `${namespace}/${name}`;
      // A status that is wanted is plain JSON.
      const desired = aggregation.desired(kind, id) as unknown as JsonValue | undefined;
      return `${kind} ${id} ${stringifyJson(desired)}`;
    }),
  );
}
