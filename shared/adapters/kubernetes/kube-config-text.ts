import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import { KubeConfigError } from '#shared/errors.ts';
import { checkContext, chooseContext } from './kube-config.ts';

const EMBED = 'embed it: kubectl config view --raw --flatten --minify writes such a kubeconfig';
const TOKEN = 'use the token of a ServiceAccount (users[].user.token)';

/** What a certificate or key of a kubeconfig must be, once its base64 is decoded. */
function isPem(data: unknown): boolean {
  return Buffer.from(String(data), 'base64').includes('-----BEGIN ');
}

/** What of a cluster's and a user's fields points outside of the text, or cannot be; by field. */
function embeddingFault(cluster: Cluster, user: User): string | undefined {
  const files = {
    'certificate-authority': cluster.caFile,
    'client-certificate': user.certFile,
    'client-key': user.keyFile,
  };
  for (const [field, file] of Object.entries(files))
    if (file) return `${field} names a file (${file}), and there are no files here: ${EMBED}`;
  const data = {
    'certificate-authority-data': cluster.caData,
    'client-certificate-data': user.certData,
    'client-key-data': user.keyData,
  };
  for (const [field, text] of Object.entries(data))
    if (text && !isPem(text)) return `${field} is not a PEM file in base64: ${EMBED}`;
  return undefined;
}

/** What of a user's credentials cannot be used where there is nothing but the text. */
function credentialsFault(user: User, text: string): string | undefined {
  const name = `user ${user.name}`;
  if (user.exec) return `${name} has exec, a program that is not here: ${TOKEN}`;
  if (user.authProvider)
    return `${name} has auth-provider, whose renewed tokens cannot be kept here: ${TOKEN}`;
  if (Boolean(user.certData) !== Boolean(user.keyData))
    return `${name} has one of client-certificate-data and client-key-data: give both`;
  // The client does not read this field, so it can be told from nothing but the text.
  const none = !(user.token || user.certData || user.username);
  return none && /\btokenFile\b/.test(text)
    ? `${name} has tokenFile, which names a file, and there are no files here: ${TOKEN}`
    : undefined;
}

/** A YAML parser's own words quote the text: only the place of the fault is taken from them. */
function textFault(error: unknown): string {
  const { code, path, mark } = error as NodeJS.ErrnoException & {
    readonly mark?: { readonly line: number; readonly column: number };
  }; // Absent on errors of another origin.
  if (code !== undefined)
    return `token-file names a file (${path}), and there are no files here: ${TOKEN}`;
  const where = mark === undefined ? '' : ` (line ${mark.line + 1}, column ${mark.column + 1})`;
  const missing = /\w+\[\d+\]\.[\w.]+ is missing$/.exec(String(error))?.[0];
  return `it is not a usable kubeconfig${missing === undefined ? where : ` (${missing})`}: compare it with the output of kubectl config view`;
}

function parseText(text: string): KubeConfig | { readonly fault: string } {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromString(text);
    return kubeConfig;
  } catch (error) {
    return { fault: textFault(error) };
  }
}

/**
 * Reads a kubeconfig that is nothing but its text, for a process that has neither files nor programs beside it. Its
 * current context counts.
 *
 * Refused is what cannot work there: `exec`, `auth-provider`, and fields that name a file. No message quotes the text,
 * which holds credentials.
 *
 * @param place where the text is from, for messages.
 * @throws KubeConfigError naming the place, what is wrong and the remedy.
 */
export function loadKubeConfigText(text: string, place: string): KubeConfig {
  const kubeConfig = parseText(text);
  if ('fault' in kubeConfig) throw new KubeConfigError(place, kubeConfig.fault);
  const name = chooseContext(kubeConfig, place, undefined);
  const { cluster, user } = checkContext(kubeConfig, place, name);
  const fault = embeddingFault(cluster, user) ?? credentialsFault(user, text);
  if (fault !== undefined) throw new KubeConfigError(place, fault);
  return kubeConfig;
}
