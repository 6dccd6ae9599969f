import { NO_FLAG, NO_LIST, NO_OBJECT, NO_QUOTES, NO_STRING } from '#shared/core/field-messages.ts';
import { AS_KUBECTL } from './messages.ts';

// The notices and errors about Fleet's objects that a command was given. Most follow the location and the title of an object and a
// colon.

/** One of Fleet's objects has no namespace. */
export const NO_FLEET_NAMESPACE = `metadata.namespace is missing: Fleet's objects have one; ${AS_KUBECTL}`;

/** Fleet itself does not handle a GitRepo. */
export const STATUS_KEPT =
  'its status is kept unchanged: it is being deleted, is not accepted, or has no spec.repo';

/** A ClusterGroup has no Clusters, or another object of Fleet no BundleDeployments and targets. */
export function nothingBelow(kind: string): string {
  const missing =
    kind === 'ClusterGroup'
      ? 'no Cluster that it selects'
      : 'no BundleDeployment and no target of it';
  return `${missing} is given: its status says that there is none; add them with -f`;
}

/** A downstream cluster of Fleet has no BundleDeployment. */
export function noDeployment(cluster: string): string {
  return `--wec ${cluster}: no BundleDeployment that is given belongs to Cluster ${cluster}: ignored; its labels fleet.cattle.io/cluster-namespace and fleet.cattle.io/cluster name its Cluster`;
}

/** No BundleDeployment lists an object of a downstream cluster. */
export function notListed(cluster: string): string {
  return `no BundleDeployment in Cluster ${cluster} lists this object in status.resources: ignored`;
}

/** A field of one of Fleet's objects has a wrong value. It follows the path of the field and a space. */
export const FLEET_FAULTS = {
  string: NO_QUOTES,
  strings: `${NO_OBJECT} of strings`,
  conditionStatus: `${NO_STRING}; put "True" in quotes`,
  flag: NO_FLAG,
  integer: 'must be an integer',
  integers: `${NO_OBJECT} of integers`,
  object: NO_OBJECT,
  objects: `${NO_LIST} of objects`,
  time: 'must be a time of RFC 3339, such as 2026-11-21T12:00:00Z',
} as const;
