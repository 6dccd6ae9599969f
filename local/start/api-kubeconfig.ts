import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import type { StatusApiPlan } from './plan-status-api.ts';
import { loadUserKubeConfig, userTokenFile } from './user-kube-config.ts';

const NAME = 'starfold';

/** A user of a kubeconfig. The client does not know `tokenFile`. */
type ApiUser = User & { readonly tokenFile?: string };

/** The user of a context of a kubeconfig, who is the same for the WDS and for Starfold's API. */
export function userOf(kubeconfig: string | undefined, context: string): ApiUser | undefined {
  const config = loadUserKubeConfig(kubeconfig, context);
  const name = config.getContextObject(context)?.user;
  const user = name === undefined ? null : config.getUser(name);
  if (user === null) return undefined;
  const tokenFile = userTokenFile(kubeconfig, user.name);
  return tokenFile === undefined ? user : { ...user, tokenFile };
}

/** A name of a server's certificate, if the host that clients connect to is not among its names. */
function serverName(certificate: X509Certificate, host: string): string | undefined {
  if (certificate.checkHost(host) !== undefined || certificate.checkIP(host) !== undefined)
    return undefined;
  return /(?:DNS|IP Address):([^,\s]+)/.exec(certificate.subjectAltName ?? '')?.[1];
}

/** The port of the server in a kubeconfig of {@link apiKubeconfig}. 0 if there is none. */
export function portIn(file: string): number {
  try {
    const server = loadUserKubeConfig(file, NAME).getCurrentCluster()?.server ?? '';
    return Number(new URL(server).port);
  } catch {
    // It has not been written yet, or is somebody else's.
    return 0;
  }
}

/** A host that a client on this machine can connect to: a server may listen at all addresses. */
function reachable(url: string): URL {
  const found = new URL(url);
  if (['0.0.0.0', '[::]'].includes(found.hostname)) found.hostname = '127.0.0.1';
  return found;
}

/** A kubeconfig that the client has exported, with the token file of its only user. */
function withTokenFile(text: string, tokenFile: string): string {
  const config = JSON.parse(text) as { readonly users: readonly { readonly user: object }[] };
  const users = config.users.map((one) => ({ ...one, user: { ...one.user, tokenFile } }));
  return JSON.stringify({ ...config, users });
}

/**
 * A kubeconfig with one context, for Starfold's API.
 *
 * @param user absent if the server asks nobody who they are
 */
export function apiKubeconfig(
  url: string,
  { tls }: Pick<StatusApiPlan, 'tls'>,
  user: ApiUser | undefined,
): string {
  const server = reachable(url);
  const cluster: Record<string, unknown> = { name: NAME, server: server.origin };
  if (tls === undefined) {
    // Without it, clients in this repository take a server without TLS for a mistake.
    cluster['skipTLSVerify'] = true;
  } else {
    // With its chain, if it has one. A client also trusts a certificate that it is given itself.
    const pem = readFileSync(tls.certFile);
    cluster['caData'] = pem.toString('base64');
    cluster['tlsServerName'] = serverName(
      new X509Certificate(pem),
      server.hostname.replace(/^\[|\]$/g, ''),
    );
  }
  const config = new KubeConfig();
  const own: ApiUser = user ?? { name: NAME };
  config.loadFromOptions({
    // Members that are undefined are left out of the text.
    clusters: [cluster as unknown as Cluster],
    users: [own],
    contexts: [{ name: NAME, cluster: NAME, user: own.name }],
    currentContext: NAME,
  });
  const text = config.exportConfig();
  return own.tokenFile === undefined ? text : withTokenFile(text, own.tokenFile);
}
