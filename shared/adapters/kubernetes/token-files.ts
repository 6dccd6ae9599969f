import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { KubeConfig, type User } from '@kubernetes/client-node';
import { parseDocument } from 'yaml';
import { createCachedFile } from '#shared/adapters/http/cached-file.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { loadKubeConfig } from './kube-config.ts';

type Authenticator = Parameters<KubeConfig['addAuthenticator']>[0];

/** The relevant part of a kubeconfig. */
interface UserEntries {
  readonly users?: readonly {
    readonly name: string;
    readonly user?: { readonly tokenFile?: unknown } | null;
  }[];
}

/**
 * The files of a kubeconfig, in kubectl's order. If there are none, the kubeconfig is created from the service account of the
 * pod.
 *
 * @param file path; undefined: KUBECONFIG, otherwise ~/.kube/config
 */
export function kubeConfigFiles(
  file: string | undefined,
  { KUBECONFIG: listed, HOME: home }: Readonly<NodeJS.ProcessEnv>,
): readonly string[] {
  if (file !== undefined) return [file];
  if (listed) return listed.split(delimiter).filter((one) => one !== '');
  const usual = home ? join(home, '.kube', 'config') : undefined;
  return usual !== undefined && existsSync(usual) ? [usual] : [];
}

/** The token file of each user of a kubeconfig, if any. */
function entriesOf(file: string): readonly (readonly [user: string, path: string | undefined])[] {
  // The client has loaded the file, so it has this form. A parse error is not thrown, because it would quote the text.
  const { users } = parseDocument(readFileSync(file, 'utf8'), KUBECTL_YAML).toJS() as UserEntries;
  return (users ?? []).map(({ name, user }) => [
    name,
    user?.tokenFile ? resolve(dirname(file), String(user.tokenFile)) : undefined,
  ]);
}

/** The token files that kubeconfigs name, by user. The first file that has the user counts, as in kubectl. */
function tokenFiles(files: readonly string[]): ReadonlyMap<string, string | undefined> {
  return new Map(files.flatMap(entriesOf).reverse());
}

/** Sends the token in a file. The file is read again if it has changed. */
function tokenOf(userName: string, file: string): Authenticator {
  const token = createCachedFile(file, (text) => text.trim());
  return {
    isAuthProvider: ({ name }: User) => name === userName,
    applyAuthentication: async (_user, { headers }) => {
      // The client has created the headers, a plain object.
      Object.assign(headers ?? {}, { Authorization: `Bearer ${await token()}` });
    },
  };
}

/**
 * Returns the kubeconfig with the tokens in the files that `users[].user.tokenFile` names, because the client does not read
 * them. Such a file replaces a token (client-go, clientcmd/api, AuthInfo.TokenFile). Paths are relative to the kubeconfig.
 *
 * @param files the files from which the kubeconfig was loaded.
 */
export function withTokenFiles(loaded: KubeConfig, files: readonly string[]): KubeConfig {
  const paths = tokenFiles(files);
  const kubeConfig = new KubeConfig();
  for (const [name, path] of paths)
    if (path !== undefined) kubeConfig.addAuthenticator(tokenOf(name, path));
  const withoutToken = ({ token: _replaced, ...user }: User): User => user;
  kubeConfig.loadFromOptions({
    clusters: loaded.getClusters(),
    contexts: loaded.getContexts(),
    users: loaded
      .getUsers()
      .map((user) => (paths.get(user.name) === undefined ? user : withoutToken(user))),
    currentContext: loaded.getCurrentContext(),
  });
  return kubeConfig;
}

/** The choice of a kubeconfig, and the environment of the process, because the client reads it too. */
export interface KubeConfigChoice {
  /** Path; undefined: KUBECONFIG, otherwise ~/.kube/config, otherwise the service account of the pod. */
  readonly file: string | undefined;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/**
 * Reads a kubeconfig and makes a context its current one, as `loadKubeConfig` does, with the tokens in files that it names.
 *
 * @param context name; undefined: the file's current-context.
 * @throws KubeConfigError with the file, the fault and the remedy.
 */
export function loadWithTokenFiles(
  { file, environment }: KubeConfigChoice,
  context: string | undefined,
): KubeConfig {
  return withTokenFiles(loadKubeConfig(file, context), kubeConfigFiles(file, environment));
}

/** The path of the token file of a user of a kubeconfig, if it names one. */
export function tokenFileOf(
  { file, environment }: KubeConfigChoice,
  userName: string,
): string | undefined {
  return tokenFiles(kubeConfigFiles(file, environment)).get(userName);
}
