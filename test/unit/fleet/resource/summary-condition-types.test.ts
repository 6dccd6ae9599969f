import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { CURRENT, entry, expected, summarize, widget } from './summaries.ts';

/** Fleet's summarizers, `TransitioningUnknown`. */
const SETTLED = [
  ['Active', 'activating'],
  ['AddonDeploy', 'provisioning'],
  ['AgentDeployed', 'provisioning'],
  ['BackingNamespaceCreated', 'configuring'],
  ['Built', 'building'],
  ['CertsGenerated', 'provisioning'],
  ['ConfigOK', 'configuring'],
  ['Created', 'creating'],
  ['CreatorMadeOwner', 'configuring'],
  ['DefaultNamespaceAssigned', 'configuring'],
  ['DefaultNetworkPolicyCreated', 'configuring'],
  ['DefaultProjectCreated', 'configuring'],
  ['DockerProvisioned', 'provisioning'],
  ['Deployed', 'deploying'],
  ['Drained', 'draining'],
  ['Downloaded', 'downloading'],
  ['etcd', 'provisioning'],
  ['Inactive', 'deactivating'],
  ['Initialized', 'initializing'],
  ['Installed', 'installing'],
  ['NodesCreated', 'provisioning'],
  ['Pending', 'pending'],
  ['PodScheduled', 'scheduling'],
  ['Provisioned', 'provisioning'],
  ['Reconciled', 'reconciling'],
  ['Refreshed', 'refreshed'],
  ['Registered', 'registering'],
  ['Removed', 'removing'],
  ['Saved', 'saving'],
  ['Updated', 'updating'],
  ['Updating', 'updating'],
  ['Upgraded', 'upgrading'],
  ['Waiting', 'waiting'],
  ['InitialRolesPopulated', 'activating'],
  ['ScalingActive', 'pending'],
  ['AbleToScale', 'pending'],
  ['RunCompleted', 'running'],
  ['Processed', 'processed'],
] as const;

describe("a condition of Fleet's well-known types (Fleet's summarizers, TransitioningUnknown)", () => {
  it.each(SETTLED)('%s is an error when False: %s', (type, state) => {
    expect(summarize(widget([entry(type, 'False')]))).toEqual(
      expected(state, 'error', [`${type} message.`, CURRENT]),
    );
  });

  it.each(SETTLED)('%s is a transition when Unknown: %s', (type, state) => {
    expect(summarize(widget([entry(type, 'Unknown')]))).toEqual(
      expected(state, 'transitioning', [`${type} message.`, CURRENT]),
    );
  });

  it.each(SETTLED)('%s says nothing when True', (type) => {
    expect(summarize(widget([entry(type, 'True')]))).toEqual(
      expected('active', 'ready', [CURRENT]),
    );
  });
});

/** Fleet's summarizers, `TransitioningFalse`; `reason`: the state is the condition's reason. */
const READY = [
  ['Completed', 'activating', CURRENT],
  ['Ready', 'unavailable', undefined],
  ['Available', 'updating', CURRENT],
  ['BootstrapReady', 'bootstrapreadyreason', CURRENT],
  ['InfrastructureReady', 'infrastructurereadyreason', CURRENT],
  ['NodeHealthy', 'nodehealthyreason', CURRENT],
] as const;

describe("a condition that says Ready (Fleet's summarizers, TransitioningFalse)", () => {
  it.each(READY)('%s is a transition when False: %s', (type, state, last) => {
    expect(summarize(widget([entry(type, 'False')]))).toEqual(
      expected(state, 'transitioning', [`${type} message.`, ...(last === undefined ? [] : [last])]),
    );
  });

  it.each(READY)('%s is an error when Unknown: %s', (type, state, last) => {
    // kstatus takes Ready=Unknown as InProgress.
    const flags = type === 'Ready' ? 'both' : 'error';
    expect(summarize(widget([entry(type, 'Unknown')]))).toEqual(
      expected(state, flags, [`${type} message.`, ...(last === undefined ? [] : [last])]),
    );
  });

  it.each(READY)('%s says nothing when True', (type) => {
    const message = type === 'Ready' ? 'Resource is Ready' : CURRENT;
    expect(summarize(widget([entry(type, 'True')]))).toEqual(
      expected('active', 'ready', [message]),
    );
  });
});

const ERRORS = [
  ['apps/v1 Deployment', 'ReplicaFailure', 'True'],
  ['apps/v1 Deployment', 'Progressing', 'False'],
  ['apps/v1 ReplicaSet', 'ReplicaFailure', 'True'],
  ['helm.cattle.io/v1 HelmChart', 'Failed', 'True'],
  ['v1 Node', 'OutOfDisk', 'True'],
  ['v1 Node', 'MemoryPressure', 'True'],
  ['v1 Node', 'DiskPressure', 'True'],
  ['v1 Node', 'NetworkUnavailable', 'True'],
  ['demo.example.com/v1 Widget', 'Stalled', 'True'],
  ['demo.example.com/v1 Widget', 'Failed', 'True'],
  ['batch/v1 Job', 'Failed', 'True'],
  // Another version of a kind is another kind to this rule.
  ['apps/v1beta1 Deployment', 'Failed', 'True'],
] as const;
const NO_ERRORS = [
  ['apps/v1 Deployment', 'Failed', 'True'],
  ['apps/v1 ReplicaSet', 'Progressing', 'False'],
  ['apps/v1 DaemonSet', 'ReplicaFailure', 'True'],
  ['apps/v1beta1 Deployment', 'ReplicaFailure', 'True'],
  ['helm.cattle.io/v1 HelmChart', 'JobCreated', 'True'],
  ['v1 Node', 'Failed', 'True'],
  ['v1 Node', 'KernelHasNoDeadlock', 'True'],
  ['demo.example.com/v1 Widget', 'MemoryPressure', 'True'],
] as const;

function ofKind(gvk: string, condition: JsonObject): JsonObject {
  const [apiVersion = '', kind = ''] = gvk.split(' ');
  return { ...widget([condition]), apiVersion, kind };
}

describe("an error condition of a kind (Fleet's summarizers, GVKConditionErrorMapping)", () => {
  it.each(ERRORS)('%s: %s=%s is an error', (gvk, type, status) => {
    const found = summarize(ofKind(gvk, entry(type, status)));
    expect(found).toMatchObject({ state: 'error', error: true });
    expect(found.message[0]).toBe(`${type} message.`);
  });

  it.each(ERRORS)('%s: %s is none with another status than %s', (gvk, type, status) => {
    for (const other of [status === 'True' ? 'False' : 'True', 'Unknown']) {
      const found = summarize(ofKind(gvk, entry(type, other)));
      expect(found.state, other).not.toBe('error');
    }
  });

  it.each(NO_ERRORS)('%s: %s=%s is none', (gvk, type, status) => {
    const found = summarize(ofKind(gvk, entry(type, status)));
    expect(found.state).not.toBe('error');
  });

  it('any condition with the reason Error is one, whatever its type and status', () => {
    const conditions = [entry('Odd', 'True', { reason: 'Error' }), entry('Odd', 'False')];
    expect(summarize(widget(conditions))).toEqual(
      expected('error', 'error', ['Odd message.', CURRENT]),
    );
  });

  it('every error adds its message, once', () => {
    const conditions = [
      entry('Failed', 'True', { message: ' broken ' }),
      entry('Odd', 'False', { reason: 'Error', message: 'odd' }),
      entry('Other', 'False', { reason: 'Error', message: 'broken' }),
      entry('Mute', 'False', { reason: 'Error', message: ' ' }),
    ];
    expect(summarize(widget(conditions))).toEqual(
      expected('error', 'error', ['broken', 'odd', CURRENT]),
    );
  });
});
