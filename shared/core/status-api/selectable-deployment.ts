import type { Labels } from '#shared/core/binding/labels.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { FLEET_LABELS } from '#shared/core/fleet/fleet-object.ts';
import type { Selectable } from './selector.ts';

/** The fields of field selectors for BundleDeploymentStatuses. */
export const DEPLOYMENT_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'cluster',
  'bundle',
  'gitRepo',
  'helmOp',
  'state',
] as const;

function labels(id: string, ...keys: readonly string[]): Labels {
  const parts = id.split('/').slice(-keys.length);
  return id === '' ? {} : Object.fromEntries(keys.map((key, index) => [key, parts[index] ?? '']));
}

/** What selectors read of a BundleDeployment. Its labels are those by which Fleet says what is above it. */
export function selectableDeployment(row: DeploymentRow): Selectable {
  const { namespace, name, cluster, bundle, repo, helmOp, state } = row;
  const fields: Record<(typeof DEPLOYMENT_FIELDS)[number], string> = {
    'metadata.name': name,
    'metadata.namespace': namespace,
    ...{ cluster, bundle, gitRepo: repo, helmOp, state },
  };
  return {
    labels: {
      ...labels(bundle, FLEET_LABELS.bundleNamespace, FLEET_LABELS.bundle),
      ...labels(cluster, FLEET_LABELS.clusterNamespace, FLEET_LABELS.cluster),
      ...labels(repo, FLEET_LABELS.repo),
      ...labels(helmOp, FLEET_LABELS.helmOp),
    },
    fields,
  };
}
