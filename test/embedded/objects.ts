import type { JsonObject } from '#shared/core/json.ts';

/** The Deployment of these tests, as an event names it. */
export const WEB = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };

/** It as it stands in the WDS: 2 replicas, without a status. */
export const DEPLOYMENT: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'web-1', generation: 1 },
  spec: { replicas: 2 },
};

/** Sends it to the WECs edge1 and edge2, and asks for the state of all of them. */
export const BINDING: JsonObject = {
  apiVersion: 'control.kubestellar.io/v1alpha1',
  kind: 'Binding',
  metadata: { name: 'web', uid: 'binding-1' },
  spec: {
    destinations: [{ clusterId: 'edge1' }, { clusterId: 'edge2' }],
    workload: {
      namespaceScope: [{ ...WEB, version: 'v1', wantMultiWECReportedState: true }],
    },
  },
};

/** Its status where so many of the 2 replicas are ready and available. */
export function statusWith(available: number): JsonObject {
  return {
    observedGeneration: 1,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: available,
    availableReplicas: available,
    conditions: [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }],
  };
}

/** It in a WEC, with that status. */
export function running(available: number): JsonObject {
  return { ...DEPLOYMENT, status: statusWith(available) };
}
