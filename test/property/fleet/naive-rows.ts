import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import type { BundleState } from '#shared/core/fleet/bundle-state.ts';
import { groupSelector } from '#shared/core/fleet/cluster-group-members.ts';
import {
  createInventory,
  targetCluster,
  targetGroup,
} from '#shared/core/fleet/cluster-inventory.ts';
import { bundleTargets } from '#shared/core/fleet/targets.ts';
import { FLEET_LABELS, type FleetKind } from '#shared/core/fleet-object.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { STATE_ANNOTATION } from './fleet-deployments.ts';
import { SILENT_SINCE } from './fleet-objects.ts';

/** A target of a Bundle, as plainly as it can be said; ids are `<namespace>/<name>`, `''` for none. */
export interface NaiveRow {
  readonly bundle: string;
  readonly cluster: string;
  readonly repo: string;
  readonly helmOp: string;
  readonly state: BundleState;
  readonly unavailable: boolean;
  /** The members of ResourceCounts that are not 0. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The objects of a kind, by id. */
export type ObjectsOf = (kind: FleetKind) => ReadonlyMap<string, JsonObject>;

/** Looks objects up by kind. */
export function byKind(objects: readonly FleetObject[]): ObjectsOf {
  return (kind) =>
    new Map(
      objects
        .filter((one) => one.kind === kind)
        .map(({ namespace, name, object }) => [`${namespace}/${name}`, object]),
    );
}

function label(object: JsonObject, key: string): string {
  return text(at(object, 'metadata', 'labels', key));
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function idIn(namespace: string, name: string): string {
  return name === '' ? '' : `${namespace}/${name}`;
}

/** `never`, `silent` or `connected`. */
export function contactOf(cluster: JsonObject | undefined): string {
  const seen = at(cluster, 'status', 'agent', 'lastSeen');
  if (typeof seen !== 'string') return 'never';
  return seen === SILENT_SINCE ? 'silent' : 'connected';
}

/** The Clusters of a ClusterGroup. */
export function membersOf(group: JsonObject, objects: ObjectsOf): readonly string[] {
  return [...objects('Cluster')]
    .filter(([, cluster]) => groupSelector(group).matches(targetCluster(cluster)))
    .map(([id]) => id);
}

function clusterOf(deployment: JsonObject, objects: ObjectsOf): string {
  const labelled = label(deployment, FLEET_LABELS.cluster);
  if (labelled !== '') return idIn(label(deployment, FLEET_LABELS.clusterNamespace), labelled);
  const namespace = at(deployment, 'metadata', 'namespace');
  const claimed = [...objects('Cluster')].filter(
    ([, cluster]) => at(cluster, 'status', 'namespace') === namespace,
  );
  return claimed.map(([id]) => id).sort()[0] ?? '';
}

function stateIn(state: BundleState, isSilent: boolean): BundleState {
  return isSilent && (state === 'Ready' || state === 'Modified') ? 'NotReady' : state;
}

function deployed(deployment: JsonObject, objects: ObjectsOf): NaiveRow {
  const namespace = label(deployment, FLEET_LABELS.bundleNamespace);
  const name = label(deployment, FLEET_LABELS.bundle) || text(at(deployment, 'metadata', 'name'));
  const cluster = clusterOf(deployment, objects);
  const isSilent = contactOf(objects('Cluster').get(cluster)) === 'silent';
  // The generator writes one of the states.
  const made = at(deployment, 'metadata', 'annotations', STATE_ANNOTATION) as BundleState;
  const reported = at(deployment, 'status', 'resourceCounts') as Readonly<Record<string, number>>;
  const { desiredReady = 0 } = reported;
  const waits = made === 'WaitApplied' ? { desiredReady, waitApplied: desiredReady } : reported;
  return {
    bundle: `${namespace}/${name}`,
    cluster,
    repo: idIn(namespace, label(deployment, FLEET_LABELS.repo)),
    helmOp: idIn(namespace, label(deployment, FLEET_LABELS.helmOp)),
    state: stateIn(made, isSilent),
    unavailable: isSilent || ['NotReady', 'WaitApplied', 'ErrApplied'].includes(made),
    counts: isSilent ? { desiredReady, unknown: desiredReady } : waits,
  };
}

function pending(objects: ObjectsOf, rows: readonly NaiveRow[]): readonly NaiveRow[] {
  const clusters = [...objects('Cluster').values()].map(targetCluster);
  const inventory = createInventory(
    clusters,
    [...objects('ClusterGroup').values()].map(targetGroup),
  );
  return [...objects('Bundle')].flatMap(([id, bundle]) => {
    if (at(bundle, 'metadata', 'deletionTimestamp') !== undefined) return [];
    const namespace = text(at(bundle, 'metadata', 'namespace'));
    return bundleTargets(bundle, inventory)
      .clusters.filter((target) => !rows.some((row) => row.bundle === id && row.cluster === target))
      .map((cluster) => ({
        bundle: id,
        cluster,
        repo: idIn(namespace, label(bundle, FLEET_LABELS.repo)),
        helmOp: idIn(namespace, label(bundle, FLEET_LABELS.helmOp)),
        state: 'Pending' as const,
        unavailable: false,
        counts: {},
      }));
  });
}

/** All targets of all Bundles. */
export function naiveRows(objects: ObjectsOf): readonly NaiveRow[] {
  const rows = [...objects('BundleDeployment').values()].map((one) => deployed(one, objects));
  return [...rows, ...pending(objects, rows)];
}
