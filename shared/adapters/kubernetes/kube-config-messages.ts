import type { LocalAddressKind } from '#shared/adapters/http/guarded-lookup.ts';

// The faults of kubeconfigs, with their remedies. A KubeConfigError names the file before. No sentence quotes what may be a secret.
// Those from `INVALID_SERVER` to `UNUSED_FIELD` are about kubeconfigs from a store, and most of them follow the path of a field.

/** There is no such file, by what names it. */
export const NO_FILE = {
  path: 'there is no such file: check the path, or leave it out to use KUBECONFIG or ~/.kube/config',
  variable:
    'there is no such file: check the path in the variable KUBECONFIG, or unset KUBECONFIG to use ~/.kube/config',
} as const;

/** `code` is that of the system's error. */
export function unreadableFile(code: string | undefined): string {
  return `it cannot be read (${code}): give this process the right to read it`;
}

/** The place of a fault that the parser of YAML has found. */
export function noYaml(line: number, column: number): string {
  return `no YAML at line ${line}, column ${column}`;
}

const COMPARE = 'compare it with the output of kubectl config view';

/** `detail` is the fault or its place. */
export function unusable(detail?: string): string {
  return `it is not a usable kubeconfig${detail === undefined ? '' : ` (${detail})`}: ${COMPARE}`;
}

/** Nothing names a kubeconfig. */
export const NONE_FOUND =
  'none found: neither KUBECONFIG nor ~/.kube/config names a file, and this is not a pod; give a kubeconfig file';

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

/** `contexts` are the names of those that there are. */
export function noCurrentContext(contexts: readonly string[]): string {
  return `no current-context is set: name one of: ${listed(contexts)}`;
}

/** Like {@link noCurrentContext}. */
export function unknownContext(name: string, contexts: readonly string[]): string {
  return `there is no context ${name}: use one of: ${listed(contexts)}`;
}

/** A cluster or user that a context names. */
interface MissingEntry {
  readonly context: string;
  readonly type: 'cluster' | 'user';
  /** The name of the cluster or user. */
  readonly name: string | undefined;
}

/** `known` are the names of those that there are. */
export function missingEntry(
  { context, type, name }: MissingEntry,
  known: readonly string[],
): string {
  return `context ${context} names the ${type} ${name}, which does not exist: add it under ${type}s, or use one of: ${listed(known)}`;
}

export function noCluster(context: string): string {
  return `context ${context} has no cluster: name one in contexts[].context.cluster`;
}

const WRITE_ADDRESS = 'write it as https://host:port';

/** `server` is the address of a cluster. */
export function invalidServer(cluster: string, server: string): string {
  return `cluster ${cluster} has the server ${server}: ${WRITE_ADDRESS}`;
}

/** Like {@link invalidServer}. */
export function serverWithoutTls(cluster: string, server: string): string {
  return `cluster ${cluster} has a server without TLS (${server}): use https, or allow it with insecure-skip-tls-verify: true`;
}

export const INVALID_SERVER = `server is not the address of an API server: ${WRITE_ADDRESS}`;

export const SERVER_WITH_USER =
  'server has a user name or password in it: put credentials under users';

export const SERVER_WITH_QUERY = `server has a query or a fragment: ${WRITE_ADDRESS}`;

/** What the settings of a deployment can allow. */
type Allowance = 'plainHttp' | 'unverifiedTls' | 'proxy' | LocalAddressKind;

/** How the deployer can allow it. */
function allowBy(name: Allowance, value = 'true'): string {
  return `allow it with allow.${name}: ${value} for this cluster in the settings of the deployment (docs/security.md)`;
}

/** `origin` is the scheme, the host and the port of a server. */
export function forbiddenPlainHttp(origin: string): string {
  return `server is without TLS (${origin}): use https, or ${allowBy('plainHttp')}`;
}

const KINDS: Readonly<Record<LocalAddressKind, string>> = {
  loopback: 'an address of the function itself',
  linkLocal: 'a link-local or metadata address',
};

/** Follows what leads to the address. */
export function localAddress(address: string, kind: LocalAddressKind): string {
  return `${address}, ${KINDS[kind]}: name the API server's own address, or ${allowBy(kind)}`;
}

/** `fault` is a {@link localAddress}. */
export function localServer(fault: string): string {
  return `server is ${fault}`;
}

/** Like {@link localServer}, for a server whose name was resolved. */
export function localName(hostname: string, fault: string): string {
  return `the server's name ${hostname} resolves to ${fault}`;
}

export const INVALID_PROXY =
  'proxy-url is not a URL: write it as http://host:port, or leave it out';

/** `address` is the scheme, the host and the port of a proxy. */
export function forbiddenProxy(address: string): string {
  return `proxy-url names the proxy ${address}: leave it out, or ${allowBy('proxy', address)}`;
}

export const FORBIDDEN_UNVERIFIED_TLS = `insecure-skip-tls-verify lets anyone act as the server: give certificate-authority-data, or ${allowBy('unverifiedTls')}`;

/** A context, cluster or user that the current context names. */
interface UnknownEntry {
  /** `context`, `cluster` or `user`. */
  readonly member: string;
  readonly name: string;
  /** The list that should have it. */
  readonly field: string;
}

/** `known` are the names of those that there are. */
export function unknownEntry(
  { member, name, field }: UnknownEntry,
  known: readonly string[],
): string {
  return `there is no ${member} ${name}, which the current context names: add it under ${field}, or use one of: ${listed(known)}`;
}

/** `field` is the list that has two entries of the name. */
export function repeatedEntry(field: string, name: string): string {
  return `${field} has ${name} twice: leave one of them`;
}

const EMBED = 'embed it: kubectl config view --raw --flatten --minify writes such a kubeconfig';

/** `field` has a certificate or key. */
export function noPem(field: string): string {
  return `${field} is not a PEM file in base64: ${EMBED}`;
}

/** Of a user. */
export const HALF_CERTIFICATE = 'has one of client-certificate-data and client-key-data: give both';

/** Of a user. */
export const HALF_PASSWORD = 'has one of username and password: give both';

const TOKEN = 'use the token of a ServiceAccount (users[].user.token)';
const NO_FILES = 'names a file, and no files are read here';

/** Why a known field is rejected, by its letters. */
export const REJECTED_FIELDS: Readonly<Record<string, string>> = {
  exec: `names a program, and none is started here: ${TOKEN}`,
  authprovider: `names a provider, whose renewed tokens cannot be kept here: ${TOKEN}`,
  tokenfile: `${NO_FILES}: ${TOKEN}`,
  clientcertificate: `${NO_FILES}: ${EMBED}`,
  clientkey: `${NO_FILES}: ${EMBED}`,
  certificateauthority: `${NO_FILES}: ${EMBED}`,
};

/** Why any other field is rejected. */
export const UNUSED_FIELD = 'is not read from a store: leave it out';

/** In the place of the name of a field, if the name may be a secret. */
export const SOME_FIELD = 'a field';

/** A text of another form, without its place. */
export const NO_KUBECONFIG = `it is not a kubeconfig: ${COMPARE}`;

/** `path` is that of a field. */
export function missingField(path: string): string {
  return `${path} is missing: ${COMPARE}`;
}

/** Like {@link missingField}. */
export function invalidField(path: string): string {
  return `${path} is not a valid value: ${COMPARE}`;
}
