import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { countAt } from './count-at.ts';
import type { ArgoCdVerdict } from './verdict.ts';

/**
 * If the condition Progressing has this reason, Argo CD calls a Deployment Degraded, regardless of the status of the
 * condition.
 */
export const DEADLINE_EXCEEDED = 'ProgressDeadlineExceeded';

function progressingReason(object: JsonObject): JsonValue | undefined {
  const conditions = at(object, 'status', 'conditions');
  const entries = isArray(conditions) ? conditions : [];
  return member(
    entries.find((entry) => member(entry, 'type') === 'Progressing'),
    'reason',
  );
}

function waiting(what: string): ArgoCdVerdict {
  return { status: 'Progressing', message: `Waiting for rollout to finish: ${what}` };
}

function assessCounts(object: JsonObject): ArgoCdVerdict {
  const wanted = at(object, 'spec', 'replicas');
  const updated = countAt(object, 'status', 'updatedReplicas');
  const old = countAt(object, 'status', 'replicas') - updated;
  const available = countAt(object, 'status', 'availableReplicas');
  if (typeof wanted === 'number' && updated < wanted)
    return waiting(`${updated} out of ${wanted} new replicas have been updated...`);
  if (old > 0) return waiting(`${old} old replicas are pending termination...`);
  if (available < updated)
    return waiting(`${available} of ${updated} updated replicas are available...`);
  return { status: 'Healthy' };
}

/**
 * Argo CD's health of an apps/v1 Deployment (gitops-engine, `health_deployment.go`): reads `spec.paused`,
 * `spec.replicas`, `metadata.generation`, `status.observedGeneration`, `.replicas`, `.updatedReplicas`,
 * `.availableReplicas`, and the reason of the first condition Progressing.
 */
export function assessDeployment(object: JsonObject): ArgoCdVerdict {
  if (at(object, 'spec', 'paused') === true)
    return { status: 'Suspended', message: 'Deployment is paused' };
  if (countAt(object, 'metadata', 'generation') > countAt(object, 'status', 'observedGeneration'))
    return waiting('observed deployment generation less than desired generation');
  if (progressingReason(object) === DEADLINE_EXCEEDED) {
    const name = JSON.stringify(at(object, 'metadata', 'name') ?? '');
    return { status: 'Degraded', message: `Deployment ${name} exceeded its progress deadline` };
  }
  return assessCounts(object);
}
