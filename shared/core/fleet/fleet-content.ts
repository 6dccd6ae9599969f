import { isDeleting } from '#shared/core/deleting.ts';
import type { FleetResource } from '#shared/core/fleet-object.ts';
import { objectsAt } from '#shared/core/fleet-object.ts';
import { at, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { controllerError } from './bundle-status.ts';

/** The fields of an object that forwarders report, for each of its parts. */
interface ReportedFields {
  readonly metadata?: readonly string[];
  readonly spec?: readonly string[];
  readonly status?: readonly string[];
}

const METADATA = ['name', 'namespace', 'uid', 'labels', 'deletionTimestamp'];

/** The fields from which the statuses of other objects follow. */
const REPORTED_FIELDS: Readonly<Record<FleetResource, ReportedFields>> = {
  bundledeployments: {
    spec: ['deploymentID', 'stagedDeploymentID'],
    status: [
      'appliedDeploymentID',
      'conditions',
      'incompleteState',
      'modifiedStatus',
      'nonModified',
      'nonReadyStatus',
      'ready',
      'resourceCounts',
      'resources',
    ],
  },
  bundles: {
    spec: ['targets', 'targetRestrictions', 'targetCustomizationMode'],
    status: ['conditions'],
  },
  clusters: { status: ['agent'] },
  clustergroups: { spec: ['selector'] },
  gitrepos: {},
  helmops: {},
  jobs: {
    metadata: ['ownerReferences', 'creationTimestamp', 'generation'],
    spec: ['suspend', 'completions', 'parallelism'],
    status: [
      'active',
      'conditions',
      'failed',
      'observedGeneration',
      'ready',
      'startTime',
      'succeeded',
    ],
  },
};

/** Fields of a status that change all the time, and from which no status follows. */
const VOLATILE: ReadonlySet<string> = new Set([
  'agent',
  'lastPollingTriggered',
  'lastSyncedImageScanTime',
  'lastWebhookTime',
]);

const TIMES: ReadonlySet<string> = new Set([
  'lastHeartbeatTime',
  'lastProbeTime',
  'lastTransitionTime',
  'lastUpdateTime',
]);

function withoutFields(value: JsonObject, fields: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.has(field)));
}

/** No status depends on the times of a condition. */
function withoutTimes(status: JsonObject): JsonObject {
  if (status['conditions'] === undefined) return status;
  const conditions = objectsAt(status, 'conditions').map((one) => withoutFields(one, TIMES));
  return { ...status, conditions };
}

function part(value: JsonValue | undefined, fields: readonly string[]): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const field of fields) {
    const found = member(value, field);
    if (found !== undefined) kept[field] = found;
  }
  return kept;
}

/**
 * Returns the fields of an object from which the statuses of others follow. For example, the manifests and the summary of a
 * Bundle and the Helm options of a BundleDeployment are left out. If two results are equal, no status has to be computed again.
 *
 * @param object as the API server returns it
 */
export function fleetContent(resource: FleetResource, object: JsonObject): JsonObject {
  const { metadata = [], spec = [], status = [] } = REPORTED_FIELDS[resource];
  const { apiVersion = '', kind = '' } = object;
  // Conditions about a Bundle's deployments do not change the statuses of other objects.
  const isSilent = resource === 'bundles' && controllerError(object) === '';
  return {
    apiVersion,
    kind,
    metadata: part(object['metadata'], [...METADATA, ...metadata]),
    spec: part(object['spec'], spec),
    status: isSilent ? {} : withoutTimes(part(object['status'], status)),
  };
}

/**
 * For an object whose status Starfold writes, returns the status and everything in the object from which the status follows. If
 * the result is the same as before, there is nothing to write.
 *
 * @param object as the API server returns it
 */
export function fleetOwnedContent(object: JsonObject): JsonObject {
  const status = object['status'];
  return {
    generation: at(object, 'metadata', 'generation') ?? 0,
    deleting: isDeleting(object),
    status: isObject(status) ? withoutTimes(withoutFields(status, VOLATILE)) : null,
  };
}
