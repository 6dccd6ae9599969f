import {
  createInventory,
  targetCluster,
  targetGroup,
} from '#shared/core/fleet/cluster-inventory.ts';
import { type BundleTargets, bundleTargets } from '#shared/core/fleet/targets.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';

const NAMESPACE = 'fleet-default';
const DISPLAY_NAME = 'management.cattle.io/cluster-display-name';

/** A Cluster as Fleet has it. */
export function cluster(name: string, labels: Labels, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: NAMESPACE, labels, ...metadata },
    status: { namespace: `cluster-${NAMESPACE}-${name}-1a2b3c4d5e6f` },
  };
}

/** A ClusterGroup as Fleet has it. */
export function group(name: string, labels: Labels, selector: JsonValue): JsonObject {
  return {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'ClusterGroup',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: { selector },
  };
}

/** Three Clusters: prod is in the groups east, tier1 and all; dev in all; loner, which has no labels, in none. */
export const CLUSTERS = [
  cluster('dev', { env: 'dev' }),
  cluster('loner', {}),
  cluster('prod', { env: 'prod', region: 'us-east', [DISPLAY_NAME]: 'shop' }),
];
const GROUPS = [
  group('all', {}, { matchExpressions: [{ key: 'env', operator: 'Exists' }] }),
  group('east', { region: 'us-east' }, { matchLabels: { region: 'us-east' } }),
  group('tier1', { tier: '1' }, { matchLabels: { env: 'prod' } }),
  group('unset', { region: 'us-east' }, null),
  group('faulty', { region: 'us-east' }, 'env'),
];

/** The targets of a Bundle with such a spec. */
export function targetsOf(spec: JsonValue, clusters = CLUSTERS, groups = GROUPS): BundleTargets {
  const inventory = createInventory(clusters.map(targetCluster), groups.map(targetGroup));
  return bundleTargets({ metadata: { name: 'app', namespace: NAMESPACE }, spec }, inventory);
}

/** The names of the Clusters that a Bundle with such a spec selects. */
export function names(spec: JsonValue): string {
  const { clusters, errors } = targetsOf(spec);
  if (errors.length > 0) throw new Error(errors.join('; '));
  return clusters.map((id) => id.replace(`${NAMESPACE}/`, '')).join(' ');
}

function labelled(labels: Labels): JsonObject {
  return { clusterSelector: { matchLabels: labels } };
}

/** Targets: every Cluster, those of production, those of development. */
export const ALL: JsonObject = { clusterSelector: {} };
export const PROD = labelled({ env: 'prod' });
export const DEV = labelled({ env: 'dev' });
