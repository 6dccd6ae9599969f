import type { lookup as systemLookup } from 'node:dns';
import { guardedLookup } from '#shared/adapters/http/guarded-lookup.ts';
import { KubeConfigError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { addressFault, type KubeConfigAllowance } from './kube-config-allowance.ts';
import { localName } from './kube-config-messages.ts';
import { loadKubeConfigText } from './kube-config-text.ts';
import { createKubernetesApi, type KubernetesApiOptions } from './kubernetes-api.ts';

/** A kubeconfig that was read from a store. */
export interface StoredKubeConfig {
  readonly text: string;
  /** The origin of the text, for messages. */
  readonly location: string;
  /** What the settings of the deployment allow for its cluster. */
  readonly allowance: KubeConfigAllowance;
}

/**
 * Connects to the API server of a kubeconfig from a store. Redirects are not followed.
 *
 * @param resolve the system's resolver.
 * @throws KubeConfigError if the kubeconfig cannot be used; each call also throws it if the server's name resolves to an
 * address that the settings do not allow.
 */
export function connectStoredCluster(
  { text, location, allowance }: StoredKubeConfig,
  options: Omit<KubernetesApiOptions, 'lookup' | 'context'>,
  resolve?: typeof systemLookup,
): ObjectApi {
  const lookup = guardedLookup((hostname, address) => {
    const fault = addressFault(address, allowance);
    return fault === undefined
      ? undefined
      : new KubeConfigError(location, localName(hostname, fault));
  }, resolve);
  return createKubernetesApi(loadKubeConfigText(text, location, allowance), { ...options, lookup });
}
