import { notServed } from '#local/cli/door/messages.ts';
import { notAnswering, unusableCredentials } from '#local/console/messages.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';

// What `starfold console` says of the place that it reads, and why it serves no page.

/** The value of `--port`. */
export function portForm(last: number): string {
  return `Give a whole number from 1 to ${last}, or 0 for any free port.`;
}

/** What the user calls the place that is read. */
export const PLACES = {
  stage: (stage: string): string => `stage ${stage}`,
  context: (context: string): string => `context ${context}`,
  current: 'the current context',
} as const;

/** What the place is, and where CombinedStatuses are read. */
export const SERVED_BY = {
  wds: 'the API server of the WDS, which serves Starfold (APIService)',
  starfold: 'the server of Starfold (direct door)',
  /** `server` is the WDS that the user has named. */
  named: (server: string, context: string): string =>
    `CombinedStatuses are read from ${server} (${PLACES.context(context)})`,
} as const;

/** The place is no WDS. */
export const UNKNOWN_WDS =
  'the WDS is not known, so CombinedStatuses are not shown: name it with --wds-context';

/** `said` is one of {@link SERVED_BY}, {@link UNKNOWN_WDS}, or both. */
export function readsFrom(server: string, place: string, said: string): string {
  return `reads ${server}, ${place}: ${said}`;
}

/** The page is there. */
export function pageAt(url: string): string {
  return `${url}   the page; Ctrl-C ends it`;
}

/** What the page is told. The cause may be secret, and is for the terminal alone. */
export function credentialsUnusable(place: string): string {
  return `${unusableCredentials(place)}; the terminal of starfold console has the cause`;
}

/** The server is that of a management cluster. */
export function serverOfFleet(server: string): string {
  return `${server} is of a management cluster of Fleet, about which WECs report nothing: name a WDS, or use starfold get bdst`;
}

/** The WDS that the user has named. */
export function silentWds(server: string, reason: string): string {
  return `${notAnswering(server, reason)}: check that it runs and that the kubeconfig names it`;
}

/** A server that the user has named as the WDS. */
export function notAWds(server: string): string {
  return notServed(
    server,
    `combinedstatuses (${CONTROL_API_VERSION})`,
    'name the context of the WDS',
  );
}
