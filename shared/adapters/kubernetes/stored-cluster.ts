import type { lookup as systemLookup } from 'node:dns';
import { guardedLookup } from '#shared/adapters/http/guarded-lookup.ts';
import { KubeConfigError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { addressFault, type KubeConfigAllowance } from './kube-config-allowance.ts';
import { loadKubeConfigText } from './kube-config-text.ts';
import { createKubernetesApi, type KubernetesApiOptions } from './kubernetes-api.ts';

/** A kubeconfig that was read from a store. */
export interface StoredKubeConfig {
  readonly text: string;
  /** Where it is from, for messages. */
  readonly place: string;
  /** What the settings of the deployment allow for its cluster. */
  readonly allowance: KubeConfigAllowance;
}

/**
 * The API server of a kubeconfig from a store. Redirects are answers like others: nothing follows them.
 *
 * @param resolve the system's resolver.
 * @throws KubeConfigError for a kubeconfig that cannot be used; each call throws it, too, where the server's name
 *   resolves to an address that the settings do not allow.
 */
export function connectStoredCluster(
  { text, place, allowance }: StoredKubeConfig,
  options: Omit<KubernetesApiOptions, 'lookup' | 'context'>,
  resolve?: typeof systemLookup,
): ObjectApi {
  const lookup = guardedLookup((hostname, address) => {
    const fault = addressFault(address, allowance);
    return fault === undefined
      ? undefined
      : new KubeConfigError(place, `the server's name ${hostname} resolves to ${fault}`);
  }, resolve);
  return createKubernetesApi(loadKubeConfigText(text, place, allowance), { ...options, lookup });
}
