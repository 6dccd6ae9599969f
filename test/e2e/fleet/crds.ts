import { FLEET_GROUP, FLEET_VERSION } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { Cluster } from '../clusters.ts';
import { type Definition, define } from '../open-cluster-management-kinds.ts';

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const TEXT = { type: 'string' };
const COUNT = { type: 'integer' };
const FLAG = { type: 'boolean' };

function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** An object of these members: an API server drops others, and refuses it without those that are required. */
function shape(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

function each(type: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, type]));
}

const CONDITIONS = listOf(
  shape(
    each(TEXT, ...['type', 'status', 'reason', 'message', 'lastUpdateTime', 'lastTransitionTime']),
    ['type', 'status'],
  ),
);

const COUNTERS = [
  ...['ready', 'desiredReady', 'waitApplied', 'modified', 'orphaned', 'missing', 'unknown'],
  'notReady',
];
const RESOURCE_COUNTS = shape(each(COUNT, ...COUNTERS), COUNTERS);

const REFERENCE = each(TEXT, 'apiVersion', 'kind', 'namespace', 'name');
const MODIFIED_STATUS = shape({
  ...REFERENCE,
  ...each(FLAG, 'missing', 'exist', 'delete'),
  patch: TEXT,
});
const NON_READY_STATUS = shape({
  ...REFERENCE,
  uid: TEXT,
  summary: shape({ state: TEXT, ...each(FLAG, 'error', 'transitioning'), message: listOf(TEXT) }),
});

const SUMMARY = shape(
  {
    ...each(COUNT, 'notReady', 'waitApplied', 'errApplied', 'outOfSync', 'modified', 'pending'),
    ...each(COUNT, 'ready', 'desiredReady'),
    nonReadyResources: listOf(
      shape({
        ...each(TEXT, 'name', 'bundleState', 'message'),
        modifiedStatus: listOf(MODIFIED_STATUS),
        nonReadyStatus: listOf(NON_READY_STATUS),
      }),
    ),
  },
  ['ready', 'desiredReady'],
);

const PER_CLUSTER_STATE = shape(
  each(
    listOf(TEXT),
    ...['ready', 'waitApplied', 'pending', 'modified', 'orphaned', 'missing', 'unknown'],
    'notReady',
  ),
);
const RESOURCE = shape(
  {
    ...REFERENCE,
    ...each(TEXT, 'type', 'id', 'state', 'message'),
    ...each(FLAG, 'incompleteState', 'error', 'transitioning'),
    perClusterState: PER_CLUSTER_STATE,
  },
  ['perClusterState'],
);

/** What GitRepos and HelmOps have in common. */
const STATUS_BASE: JsonObject = {
  ...each(COUNT, 'readyClusters', 'desiredReadyClusters'),
  summary: SUMMARY,
  display: shape({ ...each(TEXT, 'readyBundleDeployments', 'state', 'message'), error: FLAG }),
  conditions: CONDITIONS,
  resources: listOf(RESOURCE),
  resourceCounts: RESOURCE_COUNTS,
  perClusterResourceCounts: { type: 'object', additionalProperties: RESOURCE_COUNTS },
};

const BUNDLE_COUNTERS = [
  ...['unavailable', 'unavailablePartitions', 'maxUnavailable', 'maxUnavailablePartitions'],
  'observedGeneration',
];

const STATUSES: Readonly<Record<string, readonly [plural: string, status: JsonObject]>> = {
  Bundle: [
    'bundles',
    shape(
      {
        ...each(COUNT, 'newlyCreated', ...BUNDLE_COUNTERS),
        conditions: CONDITIONS,
        summary: SUMMARY,
        partitions: listOf(
          shape({
            name: TEXT,
            ...each(COUNT, 'count', 'maxUnavailable', 'unavailable'),
            summary: SUMMARY,
          }),
        ),
        display: shape(each(TEXT, 'readyClusters', 'state')),
        ...each(TEXT, 'ociReference', 'resourcesSha256Sum'),
      },
      BUNDLE_COUNTERS,
    ),
  ],
  BundleDeployment: ['bundledeployments', OPEN],
  Cluster: [
    'clusters',
    shape({
      conditions: CONDITIONS,
      namespace: TEXT,
      summary: SUMMARY,
      resourceCounts: RESOURCE_COUNTS,
      ...each(COUNT, 'readyGitRepos', 'desiredReadyGitRepos', 'readyHelmOps'),
      desiredReadyHelmOps: COUNT,
      display: shape(each(TEXT, 'readyBundles', 'state')),
      agent: shape({
        lastSeen: { type: 'string', format: 'date-time', nullable: true },
        namespace: TEXT,
      }),
      ...each(FLAG, 'scheduled', 'activeSchedule'),
    }),
  ],
  ClusterGroup: [
    'clustergroups',
    shape(
      {
        ...each(COUNT, 'clusterCount', 'nonReadyClusterCount'),
        nonReadyClusters: listOf(TEXT),
        conditions: CONDITIONS,
        summary: SUMMARY,
        display: shape(each(TEXT, 'readyClusters', 'readyBundles', 'state')),
        resourceCounts: RESOURCE_COUNTS,
      },
      ['clusterCount', 'nonReadyClusterCount'],
    ),
  ],
  GitRepo: [
    'gitrepos',
    shape(
      {
        ...STATUS_BASE,
        ...each(COUNT, 'observedGeneration', 'updateGeneration'),
        ...each(TEXT, 'commit', 'webhookCommit', 'pollingCommit', 'gitJobStatus'),
        ...each(TEXT, 'lastWebhookTime', 'lastSyncedImageScanTime', 'lastPollingTriggered'),
      },
      ['observedGeneration'],
    ),
  ],
  HelmOp: ['helmops', shape({ ...STATUS_BASE, ...each(TEXT, 'lastPollingTriggered', 'version') })],
};

/** The kinds of Fleet: of statuses what Fleet's own definitions have, of specs anything. */
const DEFINITIONS: readonly Definition[] = Object.entries(STATUSES).map(
  ([kind, [resource, status]]) => ({
    group: FLEET_GROUP,
    version: FLEET_VERSION,
    resource,
    kind,
    scope: 'Namespaced',
    properties: { spec: OPEN, status },
  }),
);

/** Defines the kinds of Fleet in a cluster, and waits until they are served. */
export async function defineFleet(cluster: Cluster): Promise<void> {
  await Promise.all(DEFINITIONS.map((definition) => define(cluster, definition)));
}
