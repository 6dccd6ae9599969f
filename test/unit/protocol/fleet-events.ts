import type { EventContent, EventSource } from '#shared/core/event.ts';
import {
  type AggregatedResource,
  FLEET_LABELS,
  type FleetResource,
} from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type FleetSubject, sourcePartition } from '#shared/core/subject.ts';
import type { Put } from '#shared/ports/item-store.ts';
import { SORT, versionText } from '#shared/state/keys.ts';

export const UPSTREAM = 'rancher';
export const FLEET_SOURCE = { type: 'fleet', name: UPSTREAM } as const;
export const NAMESPACE = 'fleet-default';

/** An object of Fleet that has a status to be written. */
export function fleetObject(resource: AggregatedResource, name: string): FleetSubject {
  return { type: 'fleet', upstream: UPSTREAM, resource, namespace: NAMESPACE, name };
}

/** What a forwarder says of an object; `object` absent: it is gone. */
export function says(
  resource: FleetResource,
  name: string,
  said: {
    readonly namespace?: string;
    readonly first?: boolean;
    readonly object?: JsonObject;
    readonly ownedHash?: string;
  } = {},
): EventContent {
  const { namespace = NAMESPACE, first = true, ...rest } = said;
  const group = resource === 'jobs' ? 'batch' : 'fleet.cattle.io';
  return { type: 'fleet-object', subject: { group, resource, namespace, name }, first, ...rest };
}

/** The namespace of a Cluster's BundleDeployments. */
export function deploymentsOf(cluster: string): string {
  return `cluster-${cluster}`;
}

/** A BundleDeployment of a Bundle; `cluster` is `''` where its labels name none. */
export function deployment(
  bundle: string,
  cluster: string,
  resources: readonly JsonObject[] = [],
): JsonObject {
  return {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: {
      name: bundle,
      namespace: deploymentsOf(cluster),
      uid: `${cluster}-${bundle}`,
      labels: {
        [FLEET_LABELS.bundle]: bundle,
        [FLEET_LABELS.bundleNamespace]: NAMESPACE,
        ...(cluster === ''
          ? {}
          : { [FLEET_LABELS.cluster]: cluster, [FLEET_LABELS.clusterNamespace]: NAMESPACE }),
      },
    },
    spec: { deploymentID: 'v1' },
    status: { appliedDeploymentID: 'v1', ready: true, nonModified: true, resources },
  };
}

/** A Cluster whose agent last reported then; absent: it never has. */
export function cluster(name: string, lastSeen?: string): JsonObject {
  return {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: NAMESPACE, labels: { env: 'prod' } },
    spec: {},
    status: lastSeen === undefined ? {} : { agent: { lastSeen } },
  };
}

/** That a source has told all that stands, in the epoch of its events here. */
export function listed(source: EventSource): Put {
  const version = versionText({ epoch: 1, sequence: 0 });
  return { item: { pk: sourcePartition(source), sk: SORT.snapshot, version } };
}
