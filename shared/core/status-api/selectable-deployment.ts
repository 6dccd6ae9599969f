import { BUNDLE_STATES } from '#shared/core/fleet/bundle-state.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { FLEET_LABELS } from '#shared/core/fleet-object.ts';
import type { Labels } from '#shared/core/labels.ts';
import type { FieldWords } from './field-selector-text.ts';
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

/** The words of the fields that have only some. */
export const DEPLOYMENT_WORDS: FieldWords = { state: BUNDLE_STATES };

/** The label of the name in an id, which is `<namespace>/<name>`, or `''` if there is no such object. */
function nameLabel(key: string, id: string): Labels {
  return id === '' ? {} : { [key]: id.slice(id.lastIndexOf('/') + 1) };
}

function namespaceLabel(key: string, id: string): Labels {
  return id === '' ? {} : { [key]: id.slice(0, id.lastIndexOf('/')) };
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
      ...namespaceLabel(FLEET_LABELS.bundleNamespace, bundle),
      ...nameLabel(FLEET_LABELS.bundle, bundle),
      ...namespaceLabel(FLEET_LABELS.clusterNamespace, cluster),
      ...nameLabel(FLEET_LABELS.cluster, cluster),
      ...nameLabel(FLEET_LABELS.repo, repo),
      ...nameLabel(FLEET_LABELS.helmOp, helmOp),
    },
    fields,
  };
}
