// What is wrong with the options of `starfold start`, with the remedy.

/** `host` is of the example. */
export function notAnAddress(
  option: '--api' | '--listen' | '--metrics',
  given: string,
  { host, ipv6, port }: { readonly host: string; readonly ipv6: string; readonly port: number },
): string {
  return `${option} ${given} is not an address: write it as ${port}, ${host}:${port} or [${ipv6}]:${port}`;
}

/** An option without the one that it belongs to. */
export function givenAlone(option: string, needed: string): string {
  return `${option} is for ${needed}: give both, or leave both out`;
}

/** An option of events by HTTP, beside Fleet alone. */
export function httpGivenAlone(option: string, needed: string): string {
  return `${givenAlone(option, needed)}; the management cluster of Fleet is watched from here, and does not report by HTTP`;
}

function onThisMachine(port: number): string {
  return `give an address of this machine only, such as 127.0.0.1:${port}`;
}

/** The API about Fleet, at an address that others can reach. */
export function openFleetApi(given: string, port: number): string {
  return `--api ${given} would be open to others without authentication: ${onThisMachine(port)}, behind a proxy with authentication`;
}

/** The API of the demo, at an address that others can reach. */
export function openDemoApi(given: string, port: number): string {
  return `--api ${given} would be open to others, because the demo asks nobody who they are: ${onThisMachine(port)}`;
}

/** The API of a WDS without a certificate or without its key. */
export const NO_TLS_OF_API =
  '--api needs --tls-cert and --tls-key: it asks who reads, and kubectl sends no credentials without TLS';

/** The page beside Fleet. */
export const CONSOLE_BESIDE_FLEET =
  '--console is for --api of a WDS: with --fleet, --api serves what is known about Fleet, so leave one of them out';

/** Neither a WDS nor Fleet. */
export const NO_WDS =
  '--wds is missing: name the context of the WDS, or with --fleet that of a management cluster of Rancher Fleet';

/** A WDS that nobody reports to. */
export const NO_WEC =
  '--wec is missing: name the context of at least one WEC, or let WECs report by HTTP with --listen';

/** Events by HTTP without tokens. */
export const NO_TOKENS =
  '--tokens is missing: name the file that names the source of each token, with lines such as wec/cluster1: TOKEN';

/** A key alone. */
export const NO_CERTIFICATE = '--tls-cert is missing: a key needs its certificate';

/** A certificate alone. */
export const NO_KEY = '--tls-key is missing: a certificate needs its key';

/** An option of the demo, for real clusters. `real` are the options that name these. */
export function onlyForDemo(option: string, real: string): string {
  return `${option} is for the demo: leave it out with ${real}`;
}

/** A cluster with an empty context. */
export function noContext({ fleet }: { readonly fleet: boolean }): string {
  return `a context has no name: write ${fleet ? '--fleet CONTEXT, ' : ''}--wds CONTEXT, --wec CONTEXT or NAME=CONTEXT`;
}

/** One context for two purposes. */
export function ownWec(context: string): string {
  return `context ${context} is given as --wds and as --wec: a WDS cannot be its own WEC; give each cluster once`;
}

/** The name that a context has. */
export function notAName(name: string, context: string): string {
  return `${name} cannot be the name of a cluster (1 to 253 letters, digits and . _ : @ -): write NAME=${context}`;
}

/** A context, or the name of a cluster. */
export function givenTwice(name: string): string {
  return `${name} is given twice: give each cluster once`;
}

/** A resource without its version. */
export function notAResource(given: string): string {
  return `--resource ${given} is not a resource: write it as deployments.apps/v1, or services/v1 for the core group`;
}
