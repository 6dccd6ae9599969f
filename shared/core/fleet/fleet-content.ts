import { isDeleting } from '#shared/core/deleting.ts';
import { at, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { controllerError } from './bundle-status.ts';
import type { FleetResource } from './fleet-object.ts';
import { objectsAt } from './fleet-object.ts';

/** The fields that are told of an object, in each of its parts. */
interface Told {
  readonly metadata?: readonly string[];
  readonly spec?: readonly string[];
  readonly status?: readonly string[];
}

const METADATA = ['name', 'namespace', 'uid', 'labels', 'deletionTimestamp'];

/** All that the statuses of other objects follow from. */
const TOLD: Readonly<Record<FleetResource, Told>> = {
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

/** Fields of a status that change all the time, and that no status follows from. */
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

/** When a condition was said to hold matters to nobody. */
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
 * Of an object what the statuses of others follow from: of a Bundle neither its manifests nor its summary, of a
 * BundleDeployment not the options of Helm. Equal results mean that nothing has to be computed anew.
 *
 * @param object as the API server returns it
 */
export function fleetContent(resource: FleetResource, object: JsonObject): JsonObject {
  const { metadata = [], spec = [], status = [] } = TOLD[resource];
  const { apiVersion = '', kind = '' } = object;
  // What was written of a Bundle's deployments into its conditions is no reason to look at it again.
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
 * Of an object that Starfold writes the status of, that status and all that it follows from in the object itself: who
 * finds this as it was has nothing to write.
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
