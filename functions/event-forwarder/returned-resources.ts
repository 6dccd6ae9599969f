import { isDownsyncable } from '#shared/core/binding/excluded-resources.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

/** Kinds without a status; a forwarder needs no right to read them (KubeStellar, status add-on agent). */
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
 * Whether the objects of a resource of a WEC are told of where nobody has named it: a resource that is named is always
 * told of.
 */
export function isReturned({ group, resource }: Resource): boolean {
  return isDownsyncable(group, resource) && !WITHOUT_STATUS.has(`${group}/${resource}`);
}
