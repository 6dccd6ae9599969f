import { deploymentContent } from '#shared/core/fleet/deployment-entry.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import {
  DEPLOYMENT_FIELDS,
  DEPLOYMENT_WORDS,
  selectableDeployment,
} from '#shared/core/status-api/selectable-deployment.ts';
import type { BundleDeployments } from '#shared/ports/bundle-deployments.ts';
import { column, NOTHING, wide } from './columns.ts';
import { text } from './schema-parts.ts';
import type { ItemName, ServedResource } from './served-resource.ts';

/** A BundleDeployment in the API. Of a deleted one, only the name is known. */
interface BundleDeploymentStatus extends ItemName {
  readonly row?: DeploymentRow;
}

function statusOf(row: DeploymentRow): BundleDeploymentStatus {
  const { namespace, name } = row;
  return { namespace, name, row };
}

/** A column of something that the row says. */
function said(name: string, description: string, cell: (row: DeploymentRow) => string) {
  return column<BundleDeploymentStatus>(name, description, ({ row }) =>
    row === undefined ? NOTHING : cell(row) || NOTHING,
  );
}

/** How the resource is named. It is served instead of those of a WDS. */
export const BUNDLE_DEPLOYMENT_STATUSES = {
  plural: 'bundledeploymentstatuses',
  singular: 'bundledeploymentstatus',
  kind: 'BundleDeploymentStatus',
  shortNames: ['bdst'],
  namespaced: true,
} as const;

/** The BundleDeployments of a management cluster of Fleet. They are about no workload object, so one review suffices. */
export function bundleDeploymentStatuses(
  deployments: BundleDeployments,
): ServedResource<BundleDeploymentStatus> {
  return {
    names: BUNDLE_DEPLOYMENT_STATUSES,
    fields: DEPLOYMENT_FIELDS,
    words: DEPLOYMENT_WORDS,
    columns: [
      column('Name', 'The name of the BundleDeployment.', ({ name }) => name),
      said('Cluster', 'The Cluster.', ({ cluster }) => cluster),
      said('Bundle', 'The Bundle.', ({ bundle }) => bundle),
      said('State', 'The state under which the statuses of Fleet count it.', ({ state }) => state),
      said(
        'Ready',
        'Its resources that are ready, of those that are wanted.',
        ({ counts }) => `${counts.ready}/${counts.desiredReady}`,
      ),
      wide(said('GitRepo', 'The GitRepo.', ({ repo }) => repo)),
      wide(said('HelmOp', 'The HelmOp.', ({ helmOp }) => helmOp)),
      wide(said('Message', 'Why it is not ready.', ({ message }) => message)),
    ],
    schema: {
      description: 'A BundleDeployment of Fleet, as the statuses count it. It can only be read.',
      properties: {
        cluster: text('The Cluster, as <namespace>/<name>. Absent if no label names it.'),
        bundle: text('The Bundle, as <namespace>/<name>.'),
        gitRepo: text('The GitRepo, as <namespace>/<name>. Absent if there is none.'),
        helmOp: text('The HelmOp, as <namespace>/<name>. Absent if there is none.'),
        state: text('Ready, NotReady, Pending, OutOfSync, Modified, WaitApplied or ErrApplied.'),
        message: text('Why it is not ready. Absent if there is no reason.'),
        counts: {
          type: 'object',
          description: 'Its resources by state.',
          additionalProperties: { type: 'integer', format: 'int64' },
        },
        resources: {
          type: 'array',
          description: 'Its resources, each with its state.',
          items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
        incomplete: {
          type: 'boolean',
          description: 'Whether the agent has left out resources that are not ready or modified.',
        },
      },
    },
    nameOf: ({ namespace, name }) => ({ namespace, name }),
    createdOf: () => undefined,
    selectable: ({ namespace, name, row }) =>
      row === undefined
        ? { labels: {}, fields: { 'metadata.namespace': namespace, 'metadata.name': name } }
        : selectableDeployment(row),
    contentOf: ({ row }) => (row === undefined ? {} : deploymentContent(row)),
    async read(_source, name) {
      const row = await deployments.deployment(name);
      return row && statusOf(row);
    },
    async page(_source, request) {
      const { items, ...more } = await deployments.deployments(request);
      return { items: items.map(statusOf), ...more };
    },
    affectedBy(changed) {
      if (changed.type === 'bundle-deployment') {
        const { namespace, name } = changed;
        return { type: 'one', name: { namespace, name } };
      }
      if (changed.type !== 'fleet-cluster') return undefined;
      const fields = [{ field: 'cluster', operator: '=', value: changed.cluster }] as const;
      return { type: 'some', selector: { labels: [], fields } };
    },
    familyOf: ({ namespace }) => namespace,
    gone: (name) => name,
  };
}
