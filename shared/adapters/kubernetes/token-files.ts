import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KubeConfig, type User } from '@kubernetes/client-node';
import { parseDocument } from 'yaml';
import { createCachedFile } from '#shared/adapters/http/cached-file.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';

type Authenticator = Parameters<KubeConfig['addAuthenticator']>[0];

/** The relevant part of a kubeconfig. */
interface UserEntries {
  readonly users?: readonly {
    readonly name: string;
    readonly user?: { readonly tokenFile?: unknown } | null;
  }[];
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
