import { expect, it } from 'vitest';
import { deploymentRow } from '#shared/core/fleet/deployment-row.ts';
import {
  DEPLOYMENT_FIELDS,
  selectableDeployment,
} from '#shared/core/status-api/selectable-deployment.ts';
import { deploymentIn } from '#test/unit/fleet/fixtures/states.ts';

const ROW = {
  ...deploymentRow(deploymentIn('Ready')),
  bundle: 'fleet-default/shop',
  cluster: 'fleet-default/c1',
  repo: 'fleet-default/apps',
  helmOp: '',
};

it('the labels of a BundleDeployment name what is above it', () => {
  expect(selectableDeployment(ROW).labels).toEqual({
    'fleet.cattle.io/bundle-namespace': 'fleet-default',
    'fleet.cattle.io/bundle-name': 'shop',
    'fleet.cattle.io/cluster-namespace': 'fleet-default',
    'fleet.cattle.io/cluster': 'c1',
    'fleet.cattle.io/repo-name': 'apps',
  });
});

it('a BundleDeployment of no known Cluster has no label of one', () => {
  const { labels, fields } = selectableDeployment({ ...ROW, cluster: '' });
  expect(Object.keys(labels).filter((key) => key.includes('cluster'))).toEqual([]);
  expect(Object.keys(fields)).toEqual([...DEPLOYMENT_FIELDS]);
  expect(fields['cluster']).toBe('');
});
