import { CONTROL_GROUP } from '#shared/core/kubestellar.ts';
import { MANAGED_CLUSTERS } from './managed-cluster.ts';

const EXCLUDED_GROUPS: ReadonlySet<string> = new Set([
  'apiregistration.k8s.io',
  CONTROL_GROUP,
  'coordination.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
]);

const EXCLUDED_RESOURCES: Readonly<Record<string, ReadonlySet<string>>> = {
  '': new Set(['endpoints', 'events', 'nodes']),
  // The inventory, if it is kept in the WDS. It defines which WECs exist.
  [MANAGED_CLUSTERS.group]: new Set([MANAGED_CLUSTERS.resource]),
  'events.k8s.io': new Set(['events']),
  'storage.k8s.io': new Set(['csinodes', 'csistoragecapacities']),
};

/**
 * Whether objects of a kind may be sent to WECs. Objects that describe the cluster itself, and KubeStellar's own
 * objects, may not (KubeStellar, binding controller, excluded groups and resources).
 *
 * @param group API group, `''` for the core group
 * @param resource lower-case plural name
 */
export function isDownsyncable(group: string, resource: string): boolean {
  if (EXCLUDED_GROUPS.has(group)) return false;
  return !(Object.hasOwn(EXCLUDED_RESOURCES, group) && EXCLUDED_RESOURCES[group]?.has(resource));
}
