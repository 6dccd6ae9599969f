import { gitRepoOf } from '#shared/core/fleet/git-job.ts';
import { FLEET_GROUP, FLEET_KINDS, FLEET_LABELS, labelOf } from '#shared/core/fleet-object.ts';
import { at, type JsonObject, stringifyJson, textAt } from '#shared/core/json.ts';
import { isUid, UID_RULE } from '#shared/core/metadata.ts';
import { isSubdomain } from '#shared/core/names.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import {
  INVALID_FLEET_NAME,
  INVALID_LABELS,
  INVALID_OWNER,
  largeJob,
  NO_FLEET_NAMESPACE,
  NOT_AS_SUBJECT,
  noFleetResource,
} from './messages.ts';

/** The group of a GitRepo's git job. */
const BATCH = 'batch';

function groupOf(resource: string): string | undefined {
  if (!Object.hasOwn(FLEET_KINDS, resource)) return undefined;
  return resource === 'jobs' ? BATCH : FLEET_GROUP;
}

/** All resources that are reported, as `<resource>.<group>`. */
const FLEET_NAMES = Object.keys(FLEET_KINDS).map((resource) => `${resource}.${groupOf(resource)}`);

/**
 * Checks the names of an object of a management cluster of Fleet, in addition to `namesFault`. Returns what they must be, or
 * undefined if there is no fault.
 */
export function fleetNamesFault(ref: WorkloadRef): string | undefined {
  if (groupOf(ref.resource) !== ref.group) return noFleetResource(FLEET_NAMES);
  if (ref.namespace === '') return NO_FLEET_NAMESPACE;
  if (!isSubdomain(ref.name)) return INVALID_FLEET_NAME;
  return undefined;
}

const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** A whole Job is stored below its GitRepo, whose aggregation reads all Jobs. */
const MAX_JOB_BYTES = 64 * 1024;

/**
 * Checks an object of Fleet: its own name and namespace, the names of other objects in it, because they become keys too, its
 * UID, and the size of a Job. Returns the path in the object (`''` for the whole) and what it must be, or undefined if there is
 * no fault.
 */
export function fleetObjectFault(
  { resource, namespace, name }: WorkloadRef,
  object: JsonObject,
): { readonly path: string; readonly message: string } | undefined {
  const own = { namespace, name };
  for (const [field, text] of Object.entries(own))
    if (textAt(object, 'metadata', field) !== text)
      return { path: `metadata.${field}`, message: NOT_AS_SUBJECT };
  const uid = at(object, 'metadata', 'uid');
  if (uid !== undefined && !isUid(uid)) return { path: 'metadata.uid', message: UID_RULE };
  if (Object.values(FLEET_LABELS).some((label) => !LABEL_VALUE.test(labelOf(object, label))))
    return { path: 'metadata.labels', message: INVALID_LABELS };
  const owner = gitRepoOf(object).slice(`${namespace}/`.length);
  if (owner !== '' && !isSubdomain(owner))
    return { path: 'metadata.ownerReferences', message: INVALID_OWNER };
  if (resource === 'jobs' && Buffer.byteLength(stringifyJson(object)) > MAX_JOB_BYTES)
    return { path: '', message: largeJob(MAX_JOB_BYTES) };
  return undefined;
}
