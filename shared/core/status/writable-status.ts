import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';

/** Kinds whose `.status` has a `collisionCount`, by apiVersion and kind. A ReplicaSet's has none. */
const COUNTS_COLLISIONS: ReadonlySet<string> = new Set([
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'apps/v1/DaemonSet',
]);

/**
 * The status to write so that the API server takes it. A `collisionCount` that is stored, also 0, can neither be lowered
 * nor removed: each such write is refused (422), whatever else it changes (Kubernetes, validation of the status updates
 * of Deployments, StatefulSets and DaemonSets). So the stored one is kept where it is the higher one.
 *
 * @param workload the object as it stands in the WDS
 * @param desired what `.status` should be; `{}` clears it
 * @param stored the `.status` that stands there; undefined where there is none
 * @returns `desired` itself where it can be written
 */
export function writableStatus(
  workload: JsonObject,
  desired: JsonObject,
  stored: JsonValue | undefined,
): JsonObject {
  if (!COUNTS_COLLISIONS.has(`${workload['apiVersion']}/${workload['kind']}`)) return desired;
  const least = member(stored, 'collisionCount');
  if (typeof least !== 'number') return desired;
  const { collisionCount } = desired;
  const isHighEnough = typeof collisionCount === 'number' && collisionCount >= least;
  return isHighEnough ? desired : { ...desired, collisionCount: least };
}
