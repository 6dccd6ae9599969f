import type { ExplanationObject, WecStatusObject } from '#console/model/api-objects.ts';
import type { WorkloadRow } from '#console/model/overview.ts';
import { workloadRow } from '#console/model/overview.ts';

/** What edge-1 reports of shop/web, unless it is told otherwise. */
export function wecStatus(more: Partial<WecStatusObject> = {}): WecStatusObject {
  return {
    metadata: { name: 'deployments.apps:web:edge-1', namespace: 'shop' },
    workload: {
      group: 'apps',
      resource: 'deployments',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
    },
    wec: 'edge-1',
    state: 'Reported',
    generation: { wec: 7, source: 12, observed: 7 },
    health: { status: 'Healthy' },
    bindings: ['bp'],
    status: { replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 3 },
    ...more,
  };
}

/** Why the status of shop/web is what it is: 3 WECs, of which edge-2 decides. */
export function explanation(more: Partial<ExplanationObject> = {}): ExplanationObject {
  return {
    apiVersion: 'status.starfold.dev/v1alpha1',
    kind: 'Explanation',
    metadata: { name: 'deployments.apps:web', namespace: 'shop', labels: { app: 'web' } },
    workload: {
      group: 'apps',
      resource: 'deployments',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
    },
    decision: { action: 'Aggregate', reason: '3 WECs qualify', bindings: [] },
    wecs: { qualified: 3, reported: 3, silent: [], missing: [], tooLarge: [] },
    verdict: {
      status: 'Progressing',
      message: '1 of 3 are available',
      decidedBy: ['edge-2'],
      others: { Healthy: 2 },
    },
    deciders: [
      {
        wec: 'edge-2',
        state: 'Reported',
        health: { status: 'Progressing', message: '1 of 3 are available' },
      },
    ],
    fields: [
      {
        path: 'conditions[Available]',
        value: {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'no',
        },
        rule: 'condition',
        documentation: 'rules.md#deployment',
        decidedBy: [{ wec: 'edge-2', value: { type: 'Available', status: 'False' } }],
      },
      {
        path: 'readyReplicas',
        value: 1,
        rule: 'lowest',
        documentation: 'rules.md#deployment',
        decidedBy: [{ wec: 'edge-2', value: 1 }],
      },
      {
        path: 'replicas',
        value: 3,
        rule: 'lowest',
        documentation: 'rules.md#deployment',
        decidedBy: [{ all: true }],
      },
    ],
    applied: { upToDate: true, since: '2026-11-22T16:58:14Z' },
    refused: [],
    ...more,
  };
}

/** The row of an object of this name. */
export function named(name: string, more: Partial<ExplanationObject> = {}): WorkloadRow {
  const { workload } = explanation();
  return workloadRow(explanation({ workload: { ...workload, name }, ...more }));
}
