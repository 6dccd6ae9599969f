import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { countAt } from './count-at.ts';
import type { ArgoCdVerdict } from './verdict.ts';

function replicaFailure(object: JsonObject): JsonValue | undefined {
  const conditions = at(object, 'status', 'conditions');
  const entries = isArray(conditions) ? conditions : [];
  return entries.find((entry) => member(entry, 'type') === 'ReplicaFailure');
}

function degraded(message: JsonValue | undefined): ArgoCdVerdict {
  return typeof message === 'string' && message !== ''
    ? { status: 'Degraded', message }
    : { status: 'Degraded' };
}

function waiting(what: string): ArgoCdVerdict {
  return { status: 'Progressing', message: `Waiting for rollout to finish: ${what}` };
}

/**
 * Argo CD's health of an apps/v1 ReplicaSet (gitops-engine, `health_replicaset.go`): reads `spec.replicas`,
 * `metadata.generation`, `status.observedGeneration`, `.availableReplicas`, and status and message of the first
 * condition ReplicaFailure.
 */
export function assessReplicaSet(object: JsonObject): ArgoCdVerdict {
  if (countAt(object, 'metadata', 'generation') > countAt(object, 'status', 'observedGeneration'))
    return waiting('observed replica set generation less than desired generation');
  const failure = replicaFailure(object);
  if (member(failure, 'status') === 'True') return degraded(member(failure, 'message'));
  const wanted = at(object, 'spec', 'replicas');
  const available = countAt(object, 'status', 'availableReplicas');
  if (typeof wanted === 'number' && available < wanted)
    return waiting(`${available} out of ${wanted} new replicas are available...`);
  return { status: 'Healthy' };
}
