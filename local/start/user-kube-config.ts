import type { KubeConfig } from '@kubernetes/client-node';
import { loadWithTokenFiles, tokenFileOf } from '#shared/adapters/kubernetes/token-files.ts';
import { processEnvironment } from '#shared/env.ts';

/**
 * Reads the kubeconfig of the user of a command, and makes a context its current one. Tokens that it names by their files are read
 * again when they change.
 *
 * @param file path; undefined: KUBECONFIG, otherwise ~/.kube/config, otherwise the service account of the pod.
 * @param context name; undefined: the file's current-context.
 * @throws KubeConfigError with the file, the fault and the remedy.
 */
export function loadUserKubeConfig(
  file: string | undefined,
  context: string | undefined,
): KubeConfig {
  return loadWithTokenFiles({ file, environment: processEnvironment() }, context);
}

/** The path of the token file of a user of the same kubeconfig, if it names one. */
export function userTokenFile(file: string | undefined, userName: string): string | undefined {
  return tokenFileOf({ file, environment: processEnvironment() }, userName);
}
