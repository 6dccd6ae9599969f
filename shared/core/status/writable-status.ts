import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { keepCollisionCount } from './writable/collision-count.ts';
import { keepJobProgress } from './writable/job.ts';
import { keepEndedContainers } from './writable/pod.ts';
import { dropUnusedLoadBalancer } from './writable/service.ts';
import type { MakeWritable, WritableStatus } from './writable/status-write.ts';

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
