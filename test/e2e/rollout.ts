import type { JsonObject } from '#shared/core/json.ts';

/** A condition of a Deployment, as its controller writes it. */
export function condition(
  type: string,
  [status, reason]: readonly [string, string],
  time: string,
): JsonObject {
  const message = `${type} is ${status}`;
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

/** The status of a Deployment that has so many replicas, all of them updated, ready and available. */
export function rolledOut(observedGeneration: number, replicas: number, time: string): JsonObject {
  return {
    observedGeneration,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions: [
      condition('Available', ['True', 'MinimumReplicasAvailable'], time),
      condition('Progressing', ['True', 'NewReplicaSetAvailable'], time),
    ],
  };
}

/** A minute of the day on which the tests play. */
export function minute(of: number): string {
  return `2026-01-01T12:${String(of).padStart(2, '0')}:00Z`;
}
