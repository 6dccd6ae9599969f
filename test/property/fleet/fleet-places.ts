import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import type { FleetKind } from '#shared/core/fleet-object.ts';

/** The namespace of nearly everything. */
export const NAMESPACE = 'fleet-default';
const BUNDLES = ['b0', 'b1', 'b2', 'b3', 'b4'];
/** The Clusters, of which two have the same name. */
export const CLUSTERS = ['c0', 'c1', 'c2', 'c3', 'c4']
  .map((name) => ({ namespace: NAMESPACE, name }))
  .concat({ namespace: 'fleet-local', name: 'c0' });
const GROUPS = [
  { namespace: NAMESPACE, name: 'g0' },
  { namespace: NAMESPACE, name: 'g1' },
  { namespace: 'fleet-local', name: 'g0' },
];
/** One that two Clusters may claim. */
export const SHARED_NAMESPACE = 'cluster-shared';

/** Where an object stands. */
export type Place = Pick<FleetObject, 'namespace' | 'name'>;

/** The namespace of the BundleDeployments of a Cluster. */
export function namespaceOf({ namespace, name }: Place): string {
  return `cluster-${namespace}-${name}`;
}

function here(...names: readonly string[]): readonly Place[] {
  return names.map((name) => ({ namespace: NAMESPACE, name }));
}

/** Every place that has an object at some time, by kind. */
export const PLACES: Readonly<Record<FleetKind, readonly Place[]>> = {
  Bundle: here(...BUNDLES),
  Cluster: CLUSTERS,
  ClusterGroup: GROUPS,
  GitRepo: here('r0', 'r1'),
  HelmOp: here('h0'),
  Job: here('j0', 'j1', 'j2'),
  BundleDeployment: [...CLUSTERS.map(namespaceOf), SHARED_NAMESPACE].flatMap((namespace) =>
    BUNDLES.map((name) => ({ namespace, name })),
  ),
};
