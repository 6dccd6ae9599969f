import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import type { GroupResource } from '#shared/core/status-api/status-name.ts';

/** kubectl's short names of resources of Kubernetes. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  cj: 'cronjobs',
  cm: 'configmaps',
  crd: 'customresourcedefinitions',
  crds: 'customresourcedefinitions',
  csr: 'certificatesigningrequests',
  deploy: 'deployments',
  ds: 'daemonsets',
  ep: 'endpoints',
  hpa: 'horizontalpodautoscalers',
  ing: 'ingresses',
  limits: 'limitranges',
  netpol: 'networkpolicies',
  no: 'nodes',
  ns: 'namespaces',
  pc: 'priorityclasses',
  pdb: 'poddisruptionbudgets',
  po: 'pods',
  pv: 'persistentvolumes',
  pvc: 'persistentvolumeclaims',
  quota: 'resourcequotas',
  rc: 'replicationcontrollers',
  rs: 'replicasets',
  sa: 'serviceaccounts',
  sc: 'storageclasses',
  sts: 'statefulsets',
  svc: 'services',
};

/** The short names. */
export const KUBECTL_SHORT_NAMES: readonly string[] = Object.keys(SHORT_NAMES);

/** A word for a resource, as kubectl accepts it, with the whole name for a short one: `deploy.apps` is `deployments.apps`. */
export function longWord(word: string): string {
  const [name = '', ...group] = word.toLowerCase().split('.');
  const long = Object.hasOwn(SHORT_NAMES, name) ? SHORT_NAMES[name] : name;
  return [long, ...group].join('.');
}

/**
 * The resources that a word may mean, the likeliest first: `deployment`, `deployments`, `deploy`, `deployments.apps`. The group is
 * absent if the word does not name it.
 */
export function meantResources(
  word: string,
): readonly (Pick<GroupResource, 'resource'> & Partial<GroupResource>)[] {
  const [name = '', ...rest] = longWord(word).split('.');
  const group = rest.length === 0 ? {} : { group: rest.join('.') };
  const plural = kindPlural('', name);
  const names = name.endsWith('s') ? [name, plural] : [plural, name];
  return [...new Set(names)].map((resource) => ({ resource, ...group }));
}
