import { counted } from '#shared/core/counted.ts';

// What is said of a thing while `starfold start` runs, after its name and a colon, and what its servers answer. The sentences of the
// display, the options, the state file and the demo are in display-messages.ts, option-messages.ts, state-messages.ts and
// demo-messages.ts.

/** `differing` is the number of objects of Fleet that differ, or that the API server has rejected, in words. */
export function fleetState(mode: string, differing: string): string {
  return `${mode}: ${differing}`;
}

/** The differences cannot be counted. */
export function fleetFault(error: unknown): string {
  return `differences of Fleet: ${String(error)}`;
}

/** An object whose errors have ended. */
export const NO_ERRORS = 'no errors any more';

/** The first of several errors. `object` is as kubectl is given it: resource, group and name. */
export function severalErrors(first: string, errors: number, object: string): string {
  return `${first} (${errors} errors: kubectl get ${object} -o yaml)`;
}

/** A forwarder whose queue fails. */
export function cannotQueue(error: string): string {
  return `cannot queue events: ${error}`;
}

/** A cluster that cannot be read. `fault` is an error, or a resource. */
export function cannotRead(fault: string): string {
  return `${fault}; check that its API server answers, and that its user may list and watch there`;
}

/** A cluster without a resource. */
export function notServed(resource: string, remedy: string): string {
  return `does not serve ${resource}: ${remedy}`;
}

/** The remedies for a cluster without resources that it needs. */
export const INSTALL = {
  kubeStellar: 'kubectl apply -f infra/crds',
  fleet: 'install Fleet there, or check --fleet',
} as const;

/** A forwarder that reads its cluster. */
export const CONNECTED = 'connected';

const REASONS_IN_LOG = 'starfold.log beside the state file has the reasons';

/** A queue of dead letters. */
export function deadLetters(messages: number): string {
  return `${counted(messages, 'message')} could not be handled; ${REASONS_IN_LOG}`;
}

/** The dead letters of a source, beyond those that are kept. */
export function lettersNotKept(messages: number): string {
  return `${messages} more of its messages could not be handled, and ${messages === 1 ? 'was' : 'were'} not kept; ${REASONS_IN_LOG}`;
}

/** The first reason why the message of a forwarder was rejected. */
export function eventsRejected(reason: string): string {
  return `events rejected: ${reason}`;
}

/** The log file. */
export function cannotWriteLog(file: string, error: string): string {
  return `cannot write the log ${file}: ${error}`;
}

/** The server of events. */
export function takesEvents(url: string): string {
  return `takes events at ${url}`;
}

/** The server of events without TLS, at an address that others can reach. */
export function unencrypted(url: string): string {
  return `events and tokens arrive at ${url} unencrypted: give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy with TLS`;
}

/** An error of the server of events. */
export function eventsFault(error: unknown): string {
  return `events by HTTP: ${String(error)}`;
}

/** The tokens file, after a fault. */
export const TOKENS_IN_USE = 'the file is in use again';

/** A certificate, after a fault. */
export const CERTIFICATE_IN_USE = 'the new one is in use';

/** The API of the WECs' statuses. `command` reads it. */
export function servesApi(url: string, command: string): string {
  return `serves ${url}: ${command}`;
}

/** The API about Fleet. */
export function listensAt(url: string): string {
  return `listens at ${url}`;
}

/** An error of a server of an API. */
export function apiFault(error: string): string {
  return `API: ${error}`;
}

/** The page beside the API of a WDS. */
export function pageForProxy(url: string): string {
  return `${url}, for a proxy that sends the token of the user; for yourself, run starfold console`;
}

/** The page of the demo. */
export function pageNotServed(fault: string): string {
  return `is not served: ${fault}`;
}

/** A request of the page to the WDS, without a token. */
export const NO_USER_TOKEN =
  'the WDS is asked with the bearer token of the user, and this request has none: a proxy in front of Starfold has to send it';

/** A request of the page to a WDS, where the page knows none. */
export const NO_WDS_CONTEXT =
  'the WDS is not known here: give its context to starfold console with --wds-context';

/** The server of the metrics. */
export function metricsServed(url: string): string {
  return `served at ${url}`;
}

/** The metrics cannot be read. */
export function metricsFault(error: string): string {
  return `metrics: ${error}`;
}

/** What a client is answered in the place of metrics. */
export const METRICS_ANSWERS = {
  otherPath: 'not found: there is /metrics',
  otherMethod: 'use GET',
  unreadable: 'the metrics cannot be read: see the log of starfold start',
} as const;

/** The resolver of Bindings. */
export function waitsFor(what: string): string {
  return `wait for ${what}`;
}

/** The Bindings, once the resolver waits for nothing. */
export const FOLLOW_POLICIES = 'follow the policies';

/** A cluster that no other installation writes. */
export const THIS_WRITES = 'this installation writes';

/** An error that no rule of Starfold expects. */
export function unexpected(error: string): string {
  return `unexpected: ${error}`;
}
