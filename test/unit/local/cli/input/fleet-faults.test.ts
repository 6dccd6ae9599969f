import { expect, it } from 'vitest';
import { checkFleetObject } from '#local/cli/input/fleet-faults.ts';
import { FLEET_FAULTS } from '#local/cli/input/fleet-messages.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const {
  string: TEXT,
  flag: FLAG,
  object: OBJECT,
  objects: OBJECTS,
  time: TIME,
  integer: INTEGER,
} = FLEET_FAULTS;

function check(kind: string, fields: JsonObject): void {
  const metadata = { name: 'x', namespace: 'y' };
  const object = { apiVersion: 'fleet.cattle.io/v1alpha1', kind, metadata, ...fields };
  checkFleetObject({
    ...{ location: 'f.yaml, document 1', title: `${kind} y/x`, group: 'fleet.cattle.io' },
    ...{ kind, namespace: 'y', name: 'x', object },
  });
}

function spec(fields: JsonObject): JsonObject {
  return { spec: fields };
}

function status(fields: JsonObject): JsonObject {
  return { status: fields };
}

function ignoring(conditions: JsonValue): JsonObject {
  return spec({ options: { ignore: { conditions } } });
}

it.each<readonly [kind: string, fields: JsonObject, fault: string]>([
  ['Bundle', { metadata: { generation: '3' } }, `metadata.generation ${INTEGER}`],
  ['Bundle', { metadata: { uid: 7 } }, `metadata.uid ${TEXT}`],
  ['HelmOp', { metadata: { labels: ['a'] } }, `metadata.labels ${FLEET_FAULTS.strings}`],
  [
    'ClusterGroup',
    { metadata: { labels: { 'fleet.cattle.io/cluster': 1 } } },
    `metadata.labels["fleet.cattle.io/cluster"] ${TEXT}`,
  ],
  ['Bundle', { spec: [] }, `spec ${OBJECT}`],
  ['Bundle', { status: 'Ready' }, `status ${OBJECT}`],
  ['Bundle', status({ conditions: {} }), `status.conditions ${OBJECTS}`],
  ['Bundle', status({ conditions: ['Ready'] }), `status.conditions[0] ${OBJECT}`],
  ['Bundle', status({ conditions: [{ status: 'True' }] }), `status.conditions[0].type ${TEXT}`],
  [
    'Bundle',
    status({ conditions: [{ type: 'Ready', status: true }] }),
    `status.conditions[0].status ${FLEET_FAULTS.conditionStatus}`,
  ],
  ['BundleDeployment', spec({ deploymentID: 1234567 }), `spec.deploymentID ${TEXT}`],
  ['BundleDeployment', spec({ stagedDeploymentID: 12 }), `spec.stagedDeploymentID ${TEXT}`],
  ['BundleDeployment', spec({ paused: 'yes' }), `spec.paused ${FLAG}`],
  ['BundleDeployment', spec({ offSchedule: 'yes' }), `spec.offSchedule ${FLAG}`],
  ['BundleDeployment', spec({ waitingForValues: 1 }), `spec.waitingForValues ${FLAG}`],
  ['BundleDeployment', spec({ options: 'none' }), `spec.options ${OBJECT}`],
  ['BundleDeployment', spec({ options: { ignore: [] } }), `spec.options.ignore ${OBJECT}`],
  ['BundleDeployment', ignoring('Ready'), `spec.options.ignore.conditions ${OBJECTS}`],
  ['BundleDeployment', ignoring(['Ready']), `spec.options.ignore.conditions[0] ${OBJECT}`],
  [
    'BundleDeployment',
    ignoring([{ type: 'Ready', status: false }]),
    `spec.options.ignore.conditions[0].status ${TEXT}`,
  ],
  ['BundleDeployment', status({ appliedDeploymentID: 1 }), `status.appliedDeploymentID ${TEXT}`],
  ['BundleDeployment', status({ ready: 'true' }), `status.ready ${FLAG}`],
  ['BundleDeployment', status({ nonModified: 'true' }), `status.nonModified ${FLAG}`],
  ['BundleDeployment', status({ incompleteState: 1 }), `status.incompleteState ${FLAG}`],
  ['BundleDeployment', status({ resources: {} }), `status.resources ${OBJECTS}`],
  ['BundleDeployment', status({ resources: [{}, 3] }), `status.resources[1] ${OBJECT}`],
  ['BundleDeployment', status({ nonReadyStatus: [3] }), `status.nonReadyStatus[0] ${OBJECT}`],
  ['BundleDeployment', status({ modifiedStatus: [3] }), `status.modifiedStatus[0] ${OBJECT}`],
  ['BundleDeployment', status({ resourceCounts: 3 }), `status.resourceCounts ${OBJECT}`],
  [
    'BundleDeployment',
    status({ resourceCounts: { ready: '3' } }),
    `status.resourceCounts.ready ${INTEGER}`,
  ],
  [
    'BundleDeployment',
    status({ resourceCounts: { missing: 0.5 } }),
    `status.resourceCounts.missing ${INTEGER}`,
  ],
  ['Cluster', status({ namespace: 1 }), `status.namespace ${TEXT}`],
  ['Cluster', status({ agent: 'up' }), `status.agent ${OBJECT}`],
  ['Cluster', status({ agent: { lastSeen: 20261121 } }), `status.agent.lastSeen ${TIME}`],
  ['Cluster', status({ agent: { lastSeen: 'today' } }), `status.agent.lastSeen ${TIME}`],
  ['GitRepo', spec({ repo: 1 }), `spec.repo ${TEXT}`],
  ['GitRepo', status({ gitJobStatus: 1 }), `status.gitJobStatus ${TEXT}`],
])('rejects a %s with %j', (kind, fields, fault) => {
  expect(() => check(kind, fields)).toThrow(InputError);
  expect(() => check(kind, fields)).toThrow(`f.yaml, document 1, ${kind} y/x: ${fault}`);
});

it.each<readonly [kind: string, fields: JsonObject]>([
  ['Bundle', { spec: null, status: null }],
  ['BundleDeployment', spec({ paused: null, deploymentID: null, options: { ignore: null } })],
  ['BundleDeployment', ignoring([{ type: 'Ready', status: 'False' }])],
  ['BundleDeployment', status({ resourceCounts: { ready: 3, missing: null }, resources: null })],
  ['Cluster', status({ agent: { lastSeen: '' } })],
])('accepts a %s with %j', (kind, fields) => {
  expect(() => check(kind, fields)).not.toThrow();
});
