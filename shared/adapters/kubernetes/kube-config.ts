import { accessSync, constants } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { KubeConfigError, messageOf } from '#shared/errors.ts';

const DEFAULT_PLACE = '(default)';

/**
 * The messages of a YAML parser quote the text, which contains credentials. Only the position of the fault is taken from them.
 */
function faultOf(error: unknown): string {
  const { mark } = error as { readonly mark?: { readonly line: number; readonly column: number } }; // Absent on other errors.
  if (mark !== undefined) return `no YAML at line ${mark.line + 1}, column ${mark.column + 1}`;
  return messageOf(error);
}

/** What to do if there is no such file, by what names it. */
export const NO_FILE = {
  path: 'there is no such file: check the path, or leave it out to use KUBECONFIG or ~/.kube/config',
  variable:
    'there is no such file: check the path in the variable KUBECONFIG, or unset KUBECONFIG to use ~/.kube/config',
} as const;

function unreadable(file: string, error: unknown, namedBy: keyof typeof NO_FILE): KubeConfigError {
  const { code } = error as NodeJS.ErrnoException; // A system error, which has a code.
  const fault =
    code === 'ENOENT'
      ? NO_FILE[namedBy]
      : `it cannot be read (${code}): give this process the right to read it`;
  return new KubeConfigError(file, fault, { cause: error });
}

function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw unreadable(file, error, 'path');
  }
}

function unusable(file: string, error: unknown): KubeConfigError {
  const { code, path } = error as NodeJS.ErrnoException & { path?: string }; // Absent on other errors.
  // If a file was named, it was checked before. So this is a file of KUBECONFIG.
  if (code !== undefined && path !== undefined) return unreadable(path, error, 'variable');
  return new KubeConfigError(
    file,
    `it is not a usable kubeconfig (${faultOf(error)}): compare it with the output of kubectl config view`,
    { cause: error },
  );
}

function load(file: string | undefined): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    if (file === undefined) kubeConfig.loadFromDefault();
    else kubeConfig.loadFromFile(file);
  } catch (error) {
    throw unusable(file ?? DEFAULT_PLACE, error);
  }
  // The client's fallback if it finds nothing. Such a guess would only fail later, with an unclear error.
  if (file === undefined && kubeConfig.getCurrentContext() === 'loaded-context')
    throw new KubeConfigError(
      DEFAULT_PLACE,
      'none found: neither KUBECONFIG nor ~/.kube/config names a file, and this is not a pod; give a kubeconfig file',
    );
  return kubeConfig;
}

/** Names for a message. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
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
  if (!name)
    throw new KubeConfigError(file, `no current-context is set: name one of: ${listed(names)}`);
  if (!names.includes(name))
    throw new KubeConfigError(file, `there is no context ${name}: use one of: ${listed(names)}`);
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
      `context ${name} names the cluster ${context?.cluster}, which does not exist: add it under clusters, or use one of: ${listed(clusters)}`,
    );
  }
  const user = context === null ? null : kubeConfig.getUser(context.user);
  if (user === null) {
    const users = kubeConfig.getUsers().map((user) => user.name);
    throw new KubeConfigError(
      file,
      `context ${name} names the user ${context?.user}, which does not exist: add it under users, or use one of: ${listed(users)}`,
    );
  }
  if (!/^https?:\/\//.test(cluster.server))
    throw new KubeConfigError(
      file,
      `cluster ${cluster.name} has the server ${cluster.server}: write it as https://host:port`,
    );
  if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify)
    throw new KubeConfigError(
      file,
      `cluster ${cluster.name} has a server without TLS (${cluster.server}): use https, or allow it with insecure-skip-tls-verify: true`,
    );
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
