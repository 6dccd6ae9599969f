import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import { countAt } from './count-at.ts';
import type { ArgoCdVerdict } from './verdict.ts';

function progressing(message: string): ArgoCdVerdict {
  return { status: 'Progressing', message };
}

function healthy(message: string): ArgoCdVerdict {
  return { status: 'Healthy', message };
}

/**
 * The health of a rolling update whose settings are in the spec, where API servers put them. The revisions do not
 * count.
 */
function assessPartition(object: JsonObject): ArgoCdVerdict {
  const wanted = at(object, 'spec', 'replicas');
  const partition = at(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
  const updated = countAt(object, 'status', 'updatedReplicas');
  if (typeof wanted === 'number' && typeof partition === 'number' && updated < wanted - partition)
    return progressing(
      `Waiting for partitioned roll out to finish: ${updated} out of ${wanted - partition} new pods have been updated...`,
    );
  return healthy(`partitioned roll out complete: ${updated} new pods have been updated...`);
}

function revisionAt(object: JsonObject, field: string): string {
  const revision = at(object, 'status', field);
  return typeof revision === 'string' ? revision : '';
}

function assessRevisions(object: JsonObject): ArgoCdVerdict {
  const [current, update] = [
    revisionAt(object, 'currentRevision'),
    revisionAt(object, 'updateRevision'),
  ];
  if (update !== current) {
    const updated = countAt(object, 'status', 'updatedReplicas');
    return progressing(
      `waiting for statefulset rolling update to complete ${updated} pods at revision ${update}...`,
    );
  }
  const pods = countAt(object, 'status', 'currentReplicas');
  return healthy(`statefulset rolling update complete ${pods} pods at revision ${current}...`);
}

/**
 * Argo CD's health of an apps/v1 StatefulSet (gitops-engine, `health_statefulset.go`): reads `spec.replicas`,
 * `spec.updateStrategy`, `metadata.generation`, `status.observedGeneration`, `.readyReplicas`, `.updatedReplicas`,
 * `.currentReplicas` (for a message), `.currentRevision` and `.updateRevision`.
 */
export function assessStatefulSet(object: JsonObject): ArgoCdVerdict {
  const observed = countAt(object, 'status', 'observedGeneration');
  if (observed === 0 || countAt(object, 'metadata', 'generation') > observed)
    return progressing('Waiting for statefulset spec update to be observed...');
  const wanted = at(object, 'spec', 'replicas');
  const ready = countAt(object, 'status', 'readyReplicas');
  if (typeof wanted === 'number' && ready < wanted)
    return progressing(`Waiting for ${wanted - ready} pods to be ready...`);
  const strategy = at(object, 'spec', 'updateStrategy');
  if (at(strategy, 'type') === 'RollingUpdate' && isObject(at(strategy, 'rollingUpdate')))
    return assessPartition(object);
  if (at(strategy, 'type') === 'OnDelete') return healthy(`statefulset has ${ready} ready pods`);
  return assessRevisions(object);
}
