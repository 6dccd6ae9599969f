import { expect, it } from 'vitest';
import { misspeltFields } from '#local/cli/input/fleet-fields.ts';
import { misspeltField, unknownField } from '#shared/core/field-messages.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

function misspelt(kind: string, spec: JsonValue): readonly string[] {
  const metadata = { name: 'x', namespace: 'y' };
  const object = { apiVersion: 'fleet.cattle.io/v1alpha1', kind, metadata, spec };
  return misspeltFields({
    ...{ location: 'f.yaml, document 1', title: `${kind} y/x`, group: 'fleet.cattle.io' },
    ...{ kind, namespace: 'y', name: 'x', object },
  });
}

it.each<readonly [kind: string, spec: JsonObject, text: string]>([
  [
    'Bundle',
    { targets: [{ clusterName: 'a' }, { clusterNmae: 'b' }] },
    `spec.targets[1].clusterNmae: ${misspeltField('clusterName')}`,
  ],
  [
    'Bundle',
    { targets: [{ clusterSelecter: {} }] },
    `spec.targets[0].clusterSelecter: ${misspeltField('clusterSelector')}`,
  ],
  [
    'Bundle',
    { targets: [{ clusterName: 'a', donotDeploy: true }] },
    `spec.targets[0].donotDeploy: ${misspeltField('doNotDeploy')}`,
  ],
  [
    'Bundle',
    { targetRestrictions: [{ clusterGroups: 'a' }] },
    `spec.targetRestrictions[0].clusterGroups: ${misspeltField('clusterGroup')}`,
  ],
  [
    'Bundle',
    { targetRestrictions: [{ labels: {} }] },
    `spec.targetRestrictions[0].labels: ${unknownField('name, clusterName, clusterSelector, clusterGroup, clusterGroupSelector')}`,
  ],
  ['Bundle', { target: [] }, `spec.target: ${misspeltField('targets')}`],
  [
    'BundleDeployment',
    { deploymentId: 'a' },
    `spec.deploymentId: ${misspeltField('deploymentID')}`,
  ],
  [
    'BundleDeployment',
    { stagedDeploymentId: 'a' },
    `spec.stagedDeploymentId: ${misspeltField('stagedDeploymentID')}`,
  ],
  ['BundleDeployment', { pause: true }, `spec.pause: ${misspeltField('paused')}`],
  ['BundleDeployment', { offSchedul: true }, `spec.offSchedul: ${misspeltField('offSchedule')}`],
])('suggests the probable field in a %s with %j', (kind, spec, text) => {
  expect(misspelt(kind, spec)).toEqual([`f.yaml, document 1, ${kind} y/x: ${text}`]);
});

/** What Fleet's versions have besides (rancher/fleet, `BundleDeploymentOptions`). */
const OPTIONS = {
  ...{ defaultNamespace: '', namespace: '', kustomize: {}, helm: {}, serviceAccount: '' },
  ...{ forceSyncGeneration: 1, yaml: {}, diff: {}, keepResources: true, deleteNamespace: true },
  ...{ ignore: {}, correctDrift: {}, namespaceLabels: {}, namespaceAnnotations: {} },
  ...{ deleteCRDResources: true, overwrites: [], downstreamResources: [] },
};

it.each<readonly [kind: string, spec: JsonValue]>([
  ['Bundle', { targets: [{ ...OPTIONS, name: 'a', clusterName: 'b', source: '' }] }],
  ['Bundle', { targets: [{ overlays: [], kustomizeDir: '', timeoutSeconds: 1, values: {} }] }],
  [
    'Bundle',
    {
      ...OPTIONS,
      ...{ paused: true, rolloutStrategy: {}, resources: [], overlays: [], dependsOn: [] },
      ...{ contentsId: '', valuesHash: '', helmOpOptions: {}, targetCustomizationMode: '' },
    },
  ],
  [
    'BundleDeployment',
    {
      ...{ stagedOptions: OPTIONS, stagedDeploymentID: '', options: OPTIONS, deploymentID: '' },
      ...{ dependsOn: [], correctDrift: {}, ociContents: true, helmChartOptions: {} },
      ...{ paused: true, valuesHash: '', offSchedule: true, waitingForValues: true },
    },
  ],
  ['Cluster', { pausd: true }],
  ['Bundle', null],
  ['Bundle', { targets: ['a'], targetRestrictions: 'a' }],
])('says nothing of a %s with %j', (kind, spec) => {
  expect(misspelt(kind, spec)).toEqual([]);
});
