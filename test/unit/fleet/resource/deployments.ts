import { deploymentStatus } from '#shared/core/fleet/resource/deployment-status.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** When the tests take place, in milliseconds since the epoch. */
export const NOW_MS = Date.parse('2026-11-21T12:00:00.900Z');
/** The same as a status has it. */
export const NOW = '2026-11-21T12:00:00Z';
/** An hour before. */
export const BEFORE = '2026-11-21T11:00:00Z';

/** A resource as `status.resources` has it. */
export function resource(name: string, kind = 'ConfigMap', apiVersion = 'v1'): JsonObject {
  return { apiVersion, kind, namespace: 'shop', name, createdAt: BEFORE };
}

/** An entry of `modifiedStatus`. */
export function drift(name: string, more: JsonObject, kind = 'ConfigMap'): JsonObject {
  return { apiVersion: 'v1', kind, namespace: 'shop', name, ...more };
}

/** An object in the downstream cluster; with a condition it is an error. */
export function object(name: string, kind = 'ConfigMap', conditions?: JsonObject[]): JsonObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'shop', uid: `uid-of-${name}`, creationTimestamp: BEFORE },
    ...(conditions === undefined ? {} : { status: { conditions } }),
  };
}

/** The condition that makes any object an error. */
export const UPDATED_FALSE: JsonObject = { type: 'Updated', status: 'False', message: 'old' };

/** A BundleDeployment that has been applied. */
export function deployment(status: JsonObject, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: { name: 'shop', namespace: 'cluster-fleet-default-c1' },
    spec: { deploymentID: 's-1:1', stagedDeploymentID: 's-1:1', ...spec },
    status: { appliedDeploymentID: 's-1:1', ...status },
  };
}

/** The status of a BundleDeployment in a cluster with these objects. */
export function statusWith(
  given: JsonObject,
  objects: readonly JsonObject[],
  nowMs = NOW_MS,
): JsonObject | undefined {
  const keyOf = (fields: unknown[]): string => JSON.stringify(fields);
  const byKey = new Map(
    objects.map((one) => {
      const { name, namespace } = one['metadata'] as JsonObject;
      return [keyOf([one['apiVersion'], one['kind'], namespace, name]), one];
    }),
  );
  return deploymentStatus({
    deployment: given,
    find: ({ apiVersion, kind, namespace, name }) =>
      byKey.get(keyOf([apiVersion, kind, namespace, name])),
    nowMs,
  });
}

/** No resources at all. */
export const NONE = {
  ready: 0,
  desiredReady: 0,
  waitApplied: 0,
  modified: 0,
  orphaned: 0,
  missing: 0,
  unknown: 0,
  notReady: 0,
};

/** The condition Ready of a BundleDeployment in order, set now. */
export const READY = { type: 'Ready', status: 'True', lastUpdateTime: NOW };

/** The condition Ready of one that is not in order, set now. */
export function problem(message: string): JsonObject {
  return { type: 'Ready', status: 'False', lastUpdateTime: NOW, reason: 'Error', message };
}

/** The entry of `nonReadyStatus` for an object with {@link UPDATED_FALSE}. */
export function notReady(name: string, kind = 'ConfigMap'): JsonObject {
  return {
    uid: `uid-of-${name}`,
    apiVersion: 'v1',
    kind,
    namespace: 'shop',
    name,
    summary: { state: 'updating', error: true, message: ['old', 'Resource is always ready'] },
  };
}
