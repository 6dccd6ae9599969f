import { notAnswering } from '#local/console/messages.ts';
import { API_VERSION } from '#shared/api/api-group.ts';

// Why a door to the API cannot be opened, and what is wrong with its answers. `door` is the name of a door: a URL, a file or a table.

/** An error of the API, in kubectl's words. `reason` is `''` if the API gives none. */
export function errorFromServer(reason: string, message: string): string {
  return `Error from server${reason === '' ? '' : ` (${reason})`}: ${message}`;
}

/** A warning of the API, in kubectl's words. */
export function warning(text: string): string {
  return `Warning: ${text}`;
}

function orWithout(what: string, others: string): string {
  return `, or read without ${what} (${others})`;
}

/** A server has another API. `others` are the options that read without one, if the command has any. */
export function noApi(door: string, others: string | undefined): string {
  const rest = others === undefined ? '' : orWithout('a server', others);
  return `${door} does not serve ${API_VERSION}: name the kubeconfig of an API of Starfold (starfold start --api writes one)${rest}`;
}

/** A server has the API, but not a resource of it. */
export function notServed(door: string, resource: string, remedy: string): string {
  return `${door} does not serve ${resource}: ${remedy}`;
}

/** The remedies for a resource that is not served. */
export const NOT_SERVED_REMEDIES = {
  older: 'update Starfold there',
  /** The resource is that of a management cluster of Fleet. */
  ofFleet:
    'name the server of starfold start --fleet, or with --state or --stage the management cluster (--wds NAME)',
  /** `only` is the only resource of a management cluster of Fleet. */
  notOfFleet: (only: string): string =>
    `it is of a management cluster of Fleet, and has only ${only}`,
} as const;

/** A server answers 401. `answer` is what it says. */
export function credentialsRefused(server: string, answer?: string): string {
  const said = answer === undefined ? '' : ` (${answer})`;
  return `${server} does not accept the credentials${said}: check the user of the context`;
}

/** An answer is no object of JSON. */
export function notOfKubernetes(door: string): string {
  return `the answer of ${door} is not that of an API of Kubernetes: check the server of the context`;
}

/** There is no kubeconfig, and the user has named none. `fault` says so. */
export function noKubeconfig(fault: string, others: string): string {
  return `${fault}${orWithout('a server', others)}`;
}

const ANY_KUBECONFIG = 'the kubeconfig';

/** A certificate does not prove who the server is. `file` is the kubeconfig, if the user has named it. */
export function untrusted(server: string, reason: string, file = ANY_KUBECONFIG): string {
  return `${server} shows a certificate that is not trusted (${reason}): check the server and its authority in ${file}`;
}

/** A server gives no answer. `file` is as that of {@link untrusted}, `others` as those of {@link noApi}. */
export function noAnswer(
  server: string,
  reason: string,
  {
    file = ANY_KUBECONFIG,
    others,
  }: { readonly file?: string | undefined; readonly others: string },
): string {
  return `${notAnswering(server, reason)}: check that it runs (starfold start --api) and that ${file} names it${orWithout('it', others)}`;
}

/** A table has been made, but nothing is in it. */
export function noWdsYet(table: string): string {
  return `${table} knows no WDS yet: wait until the forwarder of a WDS has reported, or name another place`;
}

/** `near` is the similar name of a WDS that the table has. */
export function unknownWds(
  table: string,
  wanted: string,
  { names, near }: { readonly names: readonly string[]; readonly near: string | undefined },
): string {
  const hint = near === undefined ? `use one of: ${names.join(', ')}` : `did you mean ${near}?`;
  return `${table} has no WDS ${wanted}: ${hint}`;
}

function several(table: string, what: string, names: readonly string[]): string {
  return `${table} has several ${what}: give --wds, one of: ${names.join(', ')}`;
}

/** A table has several WDSes, and the user has named none. */
export function severalWdses(table: string, names: readonly string[]): string {
  return several(table, 'WDSes', names);
}

/** A table has several management clusters of Fleet and no WDS, and the user has named none. */
export function severalUpstreams(table: string, names: readonly string[]): string {
  return several(table, 'management clusters of Fleet', names);
}

/** `--wds` beside a server. `others` are the options with which a command takes it. */
export function wdsOfServer(others: string): string {
  return `--wds is for ${others}: a server of the API serves one WDS`;
}

/** Options of files without a file. */
export const ONLY_WITH_FILES = '--wec and --now are for -f: give the WDS with it';

/** The files have another status than the one that Starfold would write. */
export const OTHER_STATUS = 'the given object has another status';
