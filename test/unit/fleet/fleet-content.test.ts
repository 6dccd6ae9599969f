import { describe, expect, it } from 'vitest';
import { deploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { fleetContent, fleetOwnedContent } from '#shared/core/fleet/fleet-content.ts';
import { readGitJob } from '#shared/core/fleet/git-job.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { bundleDeployment } from '#test/bench/fleet-objects.ts';

const READY = { type: 'Ready', status: 'False', lastUpdateTime: '2026-11-21T12:00:00Z' };
const CONDITION = { ...READY, reason: 'Error', message: 'template failed' };

function bundle(status: JsonObject): JsonObject {
  return {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'Bundle',
    metadata: {
      name: 'shop',
      namespace: 'fleet-default',
      uid: 'u1',
      generation: 3,
      managedFields: [{ manager: 'fleet' }],
    },
    spec: { resources: [{ content: 'a manifest' }], targets: [{ clusterSelector: {} }] },
    status,
  };
}

describe('what the statuses of other objects follow from', () => {
  it('has neither manifests nor managedFields of a Bundle', () => {
    expect(fleetContent('bundles', bundle({ summary: { ready: 1 } }))).toEqual({
      apiVersion: 'fleet.cattle.io/v1alpha1',
      kind: 'Bundle',
      metadata: { name: 'shop', namespace: 'fleet-default', uid: 'u1' },
      spec: { targets: [{ clusterSelector: {} }] },
      status: {},
    });
  });

  it("has a Bundle's own error, without its time, and nothing of what is said of its deployments", () => {
    const told = { ...READY, message: 'NotReady(1) [Cluster c1]' };
    expect(fleetContent('bundles', bundle({ conditions: [told] }))['status']).toEqual({});
    expect(fleetContent('bundles', bundle({ conditions: [CONDITION] }))['status']).toEqual({
      conditions: [{ type: 'Ready', status: 'False', reason: 'Error', message: 'template failed' }],
    });
  });

  it('gives the same row of a BundleDeployment as the whole object', () => {
    const { object } = bundleDeployment(1, 2, false);
    const whole = { ...(object as JsonObject), extra: 1 };
    const content = fleetContent('bundledeployments', whole);
    expect(content).not.toHaveProperty('extra');
    expect(deploymentRow(content)).toEqual(deploymentRow(whole));
  });

  it('says the same of a git job as the whole object', () => {
    const failed = { type: 'Failed', status: 'True', message: 'no such branch' };
    const job: JsonObject = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'n', creationTimestamp: '2026-11-21T12:00:00Z' },
      spec: { template: { spec: {} }, completions: 1 },
      status: { failed: 1, conditions: [{ ...failed, lastProbeTime: '2026-11-21T12:00:01Z' }] },
    };
    const content = fleetContent('jobs', job);
    expect(content['spec']).toEqual({ completions: 1 });
    expect(readGitJob({}, content, 0)).toEqual(readGitJob({}, job, 0));
  });

  it('is empty for an object that has nothing', () => {
    expect(fleetContent('clusters', {})).toEqual({
      apiVersion: '',
      kind: '',
      metadata: {},
      spec: {},
      status: {},
    });
  });
});

describe('what the own status of an object follows from', () => {
  const one = bundle({ conditions: [CONDITION], lastWebhookTime: 'a', agent: { lastSeen: 'b' } });

  it('leaves out times, and what changes all the time', () => {
    const later = bundle({ conditions: [{ ...CONDITION, lastUpdateTime: 'later' }] });
    expect(fleetOwnedContent(later)).toEqual(fleetOwnedContent(one));
    expect(fleetOwnedContent(one)).toEqual({
      generation: 3,
      deleting: false,
      status: {
        conditions: [
          { type: 'Ready', status: 'False', reason: 'Error', message: 'template failed' },
        ],
      },
    });
  });

  it.each<readonly [what: string, other: JsonObject]>([
    ['a field of the status', bundle({ conditions: [CONDITION], display: { state: 'x' } })],
    ['a message', bundle({ conditions: [{ ...CONDITION, message: 'other' }] })],
    ['the generation', { ...one, metadata: { generation: 4 } }],
    ['that it is being deleted', { ...one, metadata: { generation: 3, deletionTimestamp: 't' } }],
    ['that there is no status', { ...one, status: null }],
  ])('distinguishes %s', (_what, other) => {
    expect(fleetOwnedContent(other)).not.toEqual(fleetOwnedContent(one));
  });

  it('is given for an object without a generation', () => {
    expect(fleetOwnedContent({})).toEqual({ generation: 0, deleting: false, status: null });
  });
});
