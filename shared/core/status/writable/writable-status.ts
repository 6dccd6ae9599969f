import { isArray, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { keepJobProgress } from './job.ts';
import { keepEndedContainers } from './pod.ts';
import {
  type MakeWritable,
  type StatusWrite,
  type WritableStatus,
  withChanges,
} from './status-write.ts';

/**
 * Only a Service of type LoadBalancer may have load balancers (Kubernetes, ValidateServiceStatusUpdate). A WEC still
 * has some while its Service does not have the new type yet.
 */
function dropUnusedLoadBalancer({ spec, desired }: StatusWrite): WritableStatus {
  const ingress = member(desired['loadBalancer'], 'ingress');
  const isRefused = spec['type'] !== 'LoadBalancer' && isArray(ingress) && ingress.length > 0;
  return { status: isRefused ? withChanges(desired, { loadBalancer: {} }) : desired };
}

/**
 * A stored `collisionCount`, even 0, can neither be lowered nor removed. Each such write is rejected, regardless of
 * what else it changes (Kubernetes, validation of the status updates of Deployments, StatefulSets and DaemonSets).
 * Therefore, the stored value is kept if it is higher.
 */
function keepCollisionCount({ desired, stored }: StatusWrite): WritableStatus {
  const least = stored['collisionCount'];
  if (typeof least !== 'number') return { status: desired };
  const { collisionCount } = desired;
  const isHighEnough = typeof collisionCount === 'number' && collisionCount >= least;
  return { status: isHighEnough ? desired : withChanges(desired, { collisionCount: least }) };
}

/** Kinds whose API server compares a new status with the stored one, by apiVersion and kind. */
const MAKE_WRITABLE: ReadonlyMap<string, MakeWritable> = new Map([
  ['apps/v1/Deployment', keepCollisionCount],
  ['apps/v1/StatefulSet', keepCollisionCount],
  ['apps/v1/DaemonSet', keepCollisionCount],
  ['batch/v1/Job', keepJobProgress],
  ['v1/Pod', keepEndedContainers],
  ['v1/Service', dropUnusedLoadBalancer],
]);

function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * The status to write so that the API server accepts it: the desired status, or the nearest one that can replace the
 * stored status. Any other write would be rejected (422), regardless of what else it changes.
 *
 * @param workload the object as it is in the WDS
 * @param desired the desired `.status`, which by itself is valid for such an object; `{}` clears it
 * @param stored the present `.status`; undefined if there is none
 */
export function writableStatus(
  workload: JsonObject,
  desired: JsonObject,
  stored: JsonValue | undefined,
): WritableStatus {
  const make = MAKE_WRITABLE.get(`${workload['apiVersion']}/${workload['kind']}`);
  if (make === undefined) return { status: desired };
  return make({ workload, spec: objectOr(workload['spec']), stored: objectOr(stored), desired });
}
