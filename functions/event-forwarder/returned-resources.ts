import { isDownsyncable } from '#shared/core/binding/excluded-resources.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

/** Kinds without a status. A forwarder needs no permission to read them (KubeStellar, status add-on agent). */
const WITHOUT_STATUS: ReadonlySet<string> = new Set([
  '/configmaps',
  '/secrets',
  '/serviceaccounts',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
]);

/**
 * Whether the objects of a resource of a WEC are reported if nobody has named the resource. A named resource is always
 * reported.
 */
export function isReturned({ group, resource }: Resource): boolean {
  return isDownsyncable(group, resource) && !WITHOUT_STATUS.has(`${group}/${resource}`);
}
