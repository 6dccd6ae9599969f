import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import { LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod/mini';
import { KubeConfigError } from '#shared/errors.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { chooseContext } from './kube-config.ts';
import { addressFault, type KubeConfigAllowance } from './kube-config-allowance.ts';
import {
  FORBIDDEN_UNVERIFIED_TLS,
  forbiddenPlainHttp,
  forbiddenProxy,
  HALF_CERTIFICATE,
  HALF_PASSWORD,
  INVALID_PROXY,
  INVALID_SERVER,
  localServer,
  noPem,
  repeatedEntry,
  SERVER_WITH_QUERY,
  SERVER_WITH_USER,
  unknownEntry,
  unusable,
} from './kube-config-messages.ts';
import {
  type ClusterText,
  firstFault,
  KUBECONFIG_SCHEMAS,
  type UserText,
} from './kube-config-schema.ts';

/** A usable value in the one spelling that all programs read in the same way, or the reason why it is not usable. */
type Checked = { readonly value: string; readonly fault?: undefined } | { readonly fault: string };

function parsedUrl(text: string): URL | undefined {
  return URL.parse(text) ?? undefined;
}

/**
 * Rejects parts of a server's URL that would lead to another server than it seems, or that contain credentials. No part is
 * quoted.
 */
function urlFault(url: URL | undefined, text: string): string | undefined {
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return INVALID_SERVER;
  if (url.username !== '' || url.password !== '') return SERVER_WITH_USER;
  return /[?#]/.test(text) ? SERVER_WITH_QUERY : undefined;
}

/**
 * Checks `clusters[].cluster.server`. Host names are checked when they are resolved, not here.
 *
 * @returns the URL that is connected to, without a slash at its end: `https://2130706433` becomes `https://127.0.0.1` before it
 * is checked.
 */
function checkServer(text: string, allowance: KubeConfigAllowance): Checked {
  const url = parsedUrl(text);
  const fault = urlFault(url, text);
  if (fault !== undefined || url === undefined) return { fault: fault ?? '' };
  if (url.protocol === 'http:' && allowance.plainHttp !== true)
    return { fault: forbiddenPlainHttp(url.origin) };
  const local = addressFault(url.hostname.replace(/^\[|\]$/g, ''), allowance);
  if (local !== undefined) return { fault: localServer(local) };
  return { value: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

/** Scheme, host and port of a proxy's URL. The settings must have the same. */
function proxyAddress({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** Checks `clusters[].cluster.proxy-url`. It must be the proxy in the settings, and may have a password. */
function checkProxy(text: string, allowance: KubeConfigAllowance): Checked {
  const url = parsedUrl(text);
  if (url === undefined || url.host === '') return { fault: INVALID_PROXY };
  const allowed = allowance.proxy === undefined ? undefined : parsedUrl(allowance.proxy);
  const address = proxyAddress(url);
  if (allowed !== undefined && proxyAddress(allowed) === address) return { value: url.href };
  return { fault: forbiddenProxy(address) };
}

/** The place of a kubeconfig, for messages, and what the kubeconfig may do. */
interface Reading {
  readonly location: string;
  readonly allowance: KubeConfigAllowance;
}

/** An entry of a list, with its path. */
interface Entry {
  readonly path: string;
  readonly value: unknown;
}

/** The messages of a YAML parser quote the text. Only the position of the fault is taken from them. */
function textFault(mark?: { readonly line: number; readonly col: number }): string {
  return unusable(mark && `line ${mark.line}, column ${mark.col}`);
}

/** The value of a text, or its fault. The parser's error quotes the text, so it must not become the cause of another error. */
function parsed(text: string): { readonly value: unknown } | { readonly fault: string } {
  const lineCounter = new LineCounter();
  const options = {
    ...KUBECTL_YAML,
    lineCounter,
    prettyErrors: false,
    logLevel: 'silent',
  } as const;
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error !== undefined) return { fault: textFault(lineCounter.linePos(error.pos[0])) };
  try {
    return { value: document.toJS() };
  } catch {
    // An alias without its anchor, or too many of them.
    return { fault: textFault() };
  }
}

function yamlOf(text: string, { location }: Reading): unknown {
  const yaml = parsed(text);
  if ('fault' in yaml) throw new KubeConfigError(location, yaml.fault);
  return yaml.value;
}

function checked<T extends z.ZodMiniType>(
  schema: T,
  entry: Entry,
  { location }: Reading,
): z.infer<T> {
  const result = schema.safeParse(entry.value, { reportInput: true });
  if (result.success) return result.data;
  throw new KubeConfigError(location, firstFault(result.error.issues, entry.path));
}

/** Finds the entry with a name. If two entries have the name, it is unclear which one counts. */
function entryOf(
  list: { readonly field: string; readonly entries: readonly { readonly name: string }[] },
  { name, member }: { readonly name: string; readonly member: string },
  { location }: Reading,
): Entry {
  const { field, entries } = list;
  const index = entries.findIndex((entry) => entry.name === name);
  const names = entries.map((entry) => entry.name);
  if (index < 0) throw new KubeConfigError(location, unknownEntry({ member, name, field }, names));
  if (names.lastIndexOf(name) !== index)
    throw new KubeConfigError(location, repeatedEntry(field, name));
  return { path: `${field}[${index}].${member}`, value: Object(entries[index])[member] };
}

/** Whether a certificate or key of a kubeconfig is PEM, after its base64 is decoded. */
function isPem(data: string): boolean {
  return Buffer.from(data, 'base64').includes('-----BEGIN ');
}

function dataFault(
  part: ClusterText | UserText,
  fields: readonly (keyof ClusterText | keyof UserText)[],
): string | undefined {
  const values: Readonly<Record<string, unknown>> = part;
  const bad = fields.find((field) => values[field] && !isPem(String(values[field])));
  return bad === undefined ? undefined : noPem(bad);
}

function userFault(user: UserText): string | undefined {
  const fault = dataFault(user, ['client-certificate-data', 'client-key-data']);
  if (fault !== undefined) return fault;
  if (Boolean(user['client-certificate-data']) !== Boolean(user['client-key-data']))
    return HALF_CERTIFICATE;
  return Boolean(user.username) === Boolean(user.password) ? undefined : HALF_PASSWORD;
}

/** Returns the members that are present. The client treats a member as absent if it is undefined. */
function present<T extends object>(
  members: { readonly [K in keyof T]: T[K] | null | undefined },
): T {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(entries) as T; // Nothing was added, and absent members may be absent.
}

function userOf(name: string, user: UserText): User {
  return present<User>({
    name,
    token: user.token,
    username: user.username,
    password: user.password,
    certData: user['client-certificate-data'],
    keyData: user['client-key-data'],
    impersonateUser: user.as,
  });
}

function clusterOf(name: string, { path, value }: Entry, reading: Reading): Cluster {
  const { location, allowance } = reading;
  const refuse = (fault: string): never => {
    throw new KubeConfigError(location, `${path}: ${fault}`);
  };
  const cluster = checked(KUBECONFIG_SCHEMAS.cluster, { path, value }, reading);
  const fault = dataFault(cluster, ['certificate-authority-data']);
  if (fault !== undefined) refuse(fault);
  const server = checkServer(cluster.server, allowance);
  if (server.fault !== undefined) return refuse(server.fault);
  const proxyUrl = cluster['proxy-url'];
  const proxy = proxyUrl ? checkProxy(proxyUrl, allowance) : undefined;
  if (proxy?.fault !== undefined) return refuse(proxy.fault);
  const plain = server.value.startsWith('http:');
  const unverified = cluster['insecure-skip-tls-verify'] === true;
  if (unverified && !plain && allowance.unverifiedTls !== true) refuse(FORBIDDEN_UNVERIFIED_TLS);
  return present<Cluster>({
    name,
    server: server.value,
    // The client accepts plain HTTP only with this option. The settings have allowed plain HTTP.
    skipTLSVerify: plain || unverified,
    caData: cluster['certificate-authority-data'],
    tlsServerName: cluster['tls-server-name'],
    proxyUrl: proxy?.value,
  });
}

/**
 * Reads a kubeconfig from its text alone, for a process without files or programs beside it. Only the current context counts.
 * Entries that it does not use are not checked, and the client does not see them.
 *
 * Only the fields of {@link KUBECONFIG_SCHEMAS} are accepted, so no file is read and no program is started, whatever spelling a
 * client accepts. A server without TLS, an unverified certificate, a proxy, and an address of the machine itself or of its
 * cloud are accepted only if the settings allow them. No message quotes the text, which contains credentials.
 *
 * @param location the origin of the text, for messages.
 * @param allowance what the settings of the deployment allow for this cluster.
 * @throws KubeConfigError with the place, the field and the remedy.
 */
export function loadKubeConfigText(
  text: string,
  location: string,
  allowance: KubeConfigAllowance = {},
): KubeConfig {
  const reading = { location, allowance };
  const file = checked(
    KUBECONFIG_SCHEMAS.file,
    { path: '', value: yamlOf(text, reading) },
    reading,
  );
  const list = (field: 'clusters' | 'contexts' | 'users') => ({
    field,
    entries: file[field] ?? [],
  });
  const contexts = list('contexts');
  const names = contexts.entries.map(({ name }) => name);
  const name = chooseContext(
    { current: file['current-context'] ?? '', names },
    location,
    undefined,
  );
  const contextEntry = entryOf(contexts, { name, member: 'context' }, reading);
  const context = checked(KUBECONFIG_SCHEMAS.context, contextEntry, reading);
  const clusterEntry = entryOf(
    list('clusters'),
    { name: context.cluster, member: 'cluster' },
    reading,
  );
  const userEntry = entryOf(list('users'), { name: context.user, member: 'user' }, reading);
  const user = checked(KUBECONFIG_SCHEMAS.user, userEntry, reading) ?? {};
  const fault = userFault(user);
  if (fault !== undefined) throw new KubeConfigError(location, `${userEntry.path}: ${fault}`);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [clusterOf(context.cluster, clusterEntry, reading)],
    users: [userOf(context.user, user)],
    contexts: [{ name, cluster: context.cluster, user: context.user }],
    currentContext: name,
  });
  return kubeConfig;
}
