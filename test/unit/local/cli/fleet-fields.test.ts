import { expect, it } from 'vitest';
import { misspeltFields } from '#local/cli/fleet-fields.ts';
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
    'spec.targets[1].clusterNmae: unknown field; did you mean clusterName?',
  ],
  [
    'Bundle',
    { targets: [{ clusterSelecter: {} }] },
    'spec.targets[0].clusterSelecter: unknown field; did you mean clusterSelector?',
  ],
  [
    'Bundle',
    { targets: [{ clusterName: 'a', donotDeploy: true }] },
    'spec.targets[0].donotDeploy: unknown field; did you mean doNotDeploy?',
  ],
  [
    'Bundle',
    { targetRestrictions: [{ clusterGroups: 'a' }] },
    'spec.targetRestrictions[0].clusterGroups: unknown field; did you mean clusterGroup?',
  ],
  [
    'Bundle',
    { targetRestrictions: [{ labels: {} }] },
    'spec.targetRestrictions[0].labels: unknown field; use name, clusterName, clusterSelector, clusterGroup, clusterGroupSelector',
  ],
  ['Bundle', { target: [] }, 'spec.target: unknown field; did you mean targets?'],
  [
    'BundleDeployment',
    { deploymentId: 'a' },
    'spec.deploymentId: unknown field; did you mean deploymentID?',
  ],
  [
    'BundleDeployment',
    { stagedDeploymentId: 'a' },
    'spec.stagedDeploymentId: unknown field; did you mean stagedDeploymentID?',
  ],
  ['BundleDeployment', { pause: true }, 'spec.pause: unknown field; did you mean paused?'],
  [
    'BundleDeployment',
    { offSchedul: true },
    'spec.offSchedul: unknown field; did you mean offSchedule?',
  ],
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
