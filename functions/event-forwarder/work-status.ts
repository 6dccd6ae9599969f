import type { EventSubject, ReturnedObject } from '#shared/core/event.ts';
import { at, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { controlResource, ORIGIN_WDS_LABEL } from '#shared/core/kubestellar.ts';
import { isSourceName } from '#shared/core/names.ts';
import { lastUpdate } from '#shared/core/status/returned-object.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

/** The objects that KubeStellar's status add-on writes into the ITS, one for each object in a WEC. */
export const WORK_STATUSES: Resource = controlResource('workstatuses');

/** The origin of a WorkStatus, and the object that it describes. */
export interface WorkStatusOrigin {
  /** The namespace in the ITS, which has the name of the WEC. */
  readonly wec: string;
  /** `undefined`: no label names it. */
  readonly wds: string | undefined;
  readonly subject: EventSubject;
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

/**
 * The origin of a WorkStatus, from its namespace, the label `transport.kubestellar.io/originWdsName` and `spec.sourceRef` (OCM
 * status add-on, WorkStatus API). Returns a text with the fault if one of them is missing or invalid.
 */
export function originOf(workStatus: JsonObject): WorkStatusOrigin | string {
  const wec = at(workStatus, 'metadata', 'namespace');
  const label = at(workStatus, 'metadata', 'labels', ORIGIN_WDS_LABEL);
  const sourceRef = at(workStatus, 'spec', 'sourceRef');
  const group = member(sourceRef, 'group');
  const resource = member(sourceRef, 'resource');
  const name = member(sourceRef, 'name');
  const namespace = member(sourceRef, 'namespace') ?? '';
  if (!isText(wec) || !isSourceName(wec)) return 'metadata.namespace must name a WEC';
  if (label !== undefined && (!isText(label) || !isSourceName(label)))
    return `the label ${ORIGIN_WDS_LABEL} must name a WDS`;
  if (!isText(group) || !isText(resource) || !isText(name) || !isText(namespace))
    return 'spec.sourceRef must have group, resource and name, and may have a namespace';
  if (resource === '' || name === '') return 'spec.sourceRef must name a resource and an object';
  return { wec, wds: label, subject: { group, resource, namespace, name } };
}

/**
 * The part of a WorkStatus that is sent. It is only a status: the add-on does not report the generation of the object in the
 * WEC (`statusDetails` is never written), nor its spec. A status that was removed from the WorkStatus is gone.
 */
export function returnedStatus(workStatus: JsonObject): ReturnedObject {
  const { status } = workStatus;
  const updated = lastUpdate(workStatus);
  return {
    uid: '',
    generation: 0,
    ...(updated === undefined ? {} : { lastUpdate: updated }),
    ...(status === undefined ? {} : { status }),
  };
}
