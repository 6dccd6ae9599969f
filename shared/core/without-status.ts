/** Kubernetes' kinds without a status (KubeStellar, status add-on agent). Objects of a Binding are often of these kinds. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set([
  '/configmaps',
  '/secrets',
  '/serviceaccounts',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
]);

/** Whether objects of a resource have no status. Work about them need not precede work about objects with a status. */
export function isWithoutStatus({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): boolean {
  return WITHOUT_STATUS.has(`${group}/${resource}`);
}
