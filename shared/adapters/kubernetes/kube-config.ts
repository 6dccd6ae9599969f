import { accessSync, constants } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { KubeConfigError, messageOf } from '#shared/errors.ts';
import {
  invalidServer,
  missingEntry,
  NO_FILE,
  NONE_FOUND,
  noCurrentContext,
  noYaml,
  serverWithoutTls,
  unknownContext,
  unreadableFile,
  unusable,
} from './kube-config-messages.ts';

const DEFAULT_PLACE = '(default)';

/**
 * The messages of a YAML parser quote the text, which contains credentials. Only the position of the fault is taken from them.
 */
function faultOf(error: unknown): string {
  const { mark } = error as { readonly mark?: { readonly line: number; readonly column: number } }; // Absent on other errors.
  if (mark !== undefined) return noYaml(mark.line + 1, mark.column + 1);
  return messageOf(error);
}

function unreadable(file: string, error: unknown, namedBy: keyof typeof NO_FILE): KubeConfigError {
  const { code } = error as NodeJS.ErrnoException; // A system error, which has a code.
  const fault = code === 'ENOENT' ? NO_FILE[namedBy] : unreadableFile(code);
  return new KubeConfigError(file, fault, { cause: error });
}

function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw unreadable(file, error, 'path');
  }
}

function loadError(file: string, error: unknown): KubeConfigError {
  const { code, path } = error as NodeJS.ErrnoException & { path?: string }; // Absent on other errors.
  // If a file was named, it was checked before. So this is a file of KUBECONFIG.
  if (code !== undefined && path !== undefined) return unreadable(path, error, 'variable');
  return new KubeConfigError(file, unusable(faultOf(error)), { cause: error });
}

function load(file: string | undefined): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    if (file === undefined) kubeConfig.loadFromDefault();
    else kubeConfig.loadFromFile(file);
  } catch (error) {
    throw loadError(file ?? DEFAULT_PLACE, error);
  }
  // The client's fallback if it finds nothing. Such a guess would only fail later, with an unclear error.
  if (file === undefined && kubeConfig.getCurrentContext() === 'loaded-context')
    throw new KubeConfigError(DEFAULT_PLACE, NONE_FOUND);
  return kubeConfig;
}

/** The contexts of a kubeconfig. */
interface Contexts {
  /** Empty if none is set. */
  readonly current: string;
  readonly names: readonly string[];
}

/**
 * Returns the context to use: the requested one, otherwise the current one.
 *
 * @throws KubeConfigError if there is none.
 */
export function chooseContext(
  { current, names }: Contexts,
  file: string,
  context: string | undefined,
): string {
  const name = context ?? current;
  if (!name) throw new KubeConfigError(file, noCurrentContext(names));
  if (!names.includes(name)) throw new KubeConfigError(file, unknownContext(name, names));
  return name;
}

/**
 * Checks the cluster and user of a context.
 *
 * @throws KubeConfigError if one is missing, or the cluster's server cannot be used.
 */
function checkContext(kubeConfig: KubeConfig, file: string, name: string): void {
  const context = kubeConfig.getContextObject(name);
  const cluster = context === null ? null : kubeConfig.getCluster(context.cluster);
  if (cluster === null) {
    const clusters = kubeConfig.getClusters().map((cluster) => cluster.name);
    throw new KubeConfigError(
      file,
      missingEntry({ context: name, type: 'cluster', name: context?.cluster }, clusters),
    );
  }
  const user = context === null ? null : kubeConfig.getUser(context.user);
  if (user === null) {
    const users = kubeConfig.getUsers().map((user) => user.name);
    throw new KubeConfigError(
      file,
      missingEntry({ context: name, type: 'user', name: context?.user }, users),
    );
  }
  if (!/^https?:\/\//.test(cluster.server))
    throw new KubeConfigError(file, invalidServer(cluster.name, cluster.server));
  if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify)
    throw new KubeConfigError(file, serverWithoutTls(cluster.name, cluster.server));
}

/**
 * Reads a kubeconfig and makes a context its current one.
 *
 * @param file path; undefined: KUBECONFIG, otherwise ~/.kube/config, otherwise the service account of the pod.
 * @param context name; undefined: the file's current-context.
 * @throws KubeConfigError with the file, the fault and the remedy.
 */
export function loadKubeConfig(file: string | undefined, context: string | undefined): KubeConfig {
  if (file !== undefined) checkReadable(file);
  const kubeConfig = load(file);
  const location = file ?? DEFAULT_PLACE;
  const names = kubeConfig.getContexts().map(({ name }) => name);
  const contexts = { current: kubeConfig.getCurrentContext(), names };
  const name = chooseContext(contexts, location, context);
  checkContext(kubeConfig, location, name);
  kubeConfig.setCurrentContext(name);
  return kubeConfig;
}
