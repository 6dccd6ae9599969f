import { isArray, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { keepJobProgress } from './writable/job.ts';
import { keepEndedContainers } from './writable/pod.ts';
import {
  type MakeWritable,
  type StatusWrite,
  type WritableStatus,
  withChanges,
} from './writable/status-write.ts';

/**
 * Only a Service of type LoadBalancer may have load balancers (Kubernetes, ValidateServiceStatusUpdate). A WEC still has
 * some while its Service is not yet of the new type.
 */
function dropUnusedLoadBalancer({ spec, desired }: StatusWrite): WritableStatus {
  const ingress = member(desired['loadBalancer'], 'ingress');
  const isRefused = spec['type'] !== 'LoadBalancer' && isArray(ingress) && ingress.length > 0;
  return { status: isRefused ? withChanges(desired, { loadBalancer: {} }) : desired };
}

/**
 * A `collisionCount` that is stored, also 0, can neither be lowered nor removed: each such write is refused, whatever
 * else it changes (Kubernetes, validation of the status updates of Deployments, StatefulSets and DaemonSets). So the
 * stored one is kept where it is the higher one.
 */
function keepCollisionCount({ desired, stored }: StatusWrite): WritableStatus {
  const least = stored['collisionCount'];
  if (typeof least !== 'number') return { status: desired };
  const { collisionCount } = desired;
  const isHighEnough = typeof collisionCount === 'number' && collisionCount >= least;
  return { status: isHighEnough ? desired : withChanges(desired, { collisionCount: least }) };
}

/** Kinds whose API server looks at what stands before it takes a status, by apiVersion and kind. */
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
 * The status to write so that the API server takes it: the desired one, or the nearest that it allows over what stands
 * in the object. Every write of another one would be refused (422), whatever else it changes.
 *
 * @param workload the object as it stands in the WDS
 * @param desired what `.status` should be, by itself one that an API server holds for such an object; `{}` clears it
 * @param stored the `.status` that stands there; undefined where there is none
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
