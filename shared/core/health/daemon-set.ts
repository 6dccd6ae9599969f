import { at, type JsonObject } from '#shared/core/json.ts';
import { countAt } from './count-at.ts';
import type { ArgoCdVerdict } from './verdict.ts';

function assessCounts(object: JsonObject): ArgoCdVerdict {
  const updated = countAt(object, 'status', 'updatedNumberScheduled');
  const desired = countAt(object, 'status', 'desiredNumberScheduled');
  const available = countAt(object, 'status', 'numberAvailable');
  if (at(object, 'spec', 'updateStrategy', 'type') === 'OnDelete')
    return {
      status: 'Healthy',
      message: `daemon set ${updated} out of ${desired} new pods have been updated`,
    };
  const name = JSON.stringify(at(object, 'metadata', 'name') ?? '');
  const waiting = (what: string): ArgoCdVerdict => ({
    status: 'Progressing',
    message: `Waiting for daemon set ${name} rollout to finish: ${what}`,
  });
  if (updated < desired)
    return waiting(`${updated} out of ${desired} new pods have been updated...`);
  if (available < desired)
    return waiting(`${available} of ${desired} updated pods are available...`);
  return { status: 'Healthy' };
}

/**
 * Argo CD's health of an apps/v1 DaemonSet (gitops-engine, `health_daemonset.go`): reads `spec.updateStrategy.type`,
 * `metadata.generation`, `status.observedGeneration`, `.updatedNumberScheduled`, `.desiredNumberScheduled` and
 * `.numberAvailable`.
 */
export function assessDaemonSet(object: JsonObject): ArgoCdVerdict {
  if (countAt(object, 'metadata', 'generation') > countAt(object, 'status', 'observedGeneration'))
    return {
      status: 'Progressing',
      message:
        'Waiting for rollout to finish: observed daemon set generation less than desired generation',
    };
  return assessCounts(object);
}
