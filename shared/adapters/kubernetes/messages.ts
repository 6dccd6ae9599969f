// Why a request has no complete answer, or one that does not come from an API server. An ApiUnavailableError names the request
// before. The sentences about kubeconfigs are in kube-config-messages.ts.

/** The caller has no more use for the answer. */
export const ABORTED = 'aborted by the caller';

/** The server has not answered in time. */
export function noAnswer(milliseconds: number): string {
  return `no answer within ${milliseconds} ms`;
}

const DEAD = 'the connection counts as dead';

/** A watch that continues after the time at which the server should have ended it. */
export const WATCH_NOT_ENDED = `the server did not end the watch: ${DEAD}`;

/** A watch of which the server has sent nothing for so long. */
export function nothingReceived(seconds: number): string {
  return `nothing received for ${seconds} s: ${DEAD}`;
}

/** A watch that ends before the line that the server has begun. */
export const CUT_LINE = 'the stream ended within a line';

/** A user of a kubeconfig whose program or file gives no credentials. */
export function noCredentials(user: string, reason: string): string {
  return `credentials of user ${user}: ${reason}`;
}

/** `what` is how an error calls it, such as `an answer`. */
export function notJson(what: string): string {
  return `${what} that is not JSON`;
}

export const NOT_AN_OBJECT = 'an answer that is not a JSON object';

function neverReturned(what: string): string {
  return `${what}, which no API server returns`;
}

/** `limit` has its unit. */
export function largeAnswer(limit: string): string {
  return neverReturned(`an answer of more than ${limit}`);
}

/** `limit` has its unit. */
export function longList(limit: string): string {
  return neverReturned(`a list of more than ${limit}`);
}

/** A list that returns to an earlier page. */
export const ENDLESS_LIST = 'a list without an end: a continue token was returned twice';

/** `fault` is one of a whole list. */
export function returnedBy(server: string, fault: string): string {
  return `${server} returns ${fault}`;
}

export const NO_LIST_VERSION = 'a list without metadata.resourceVersion';
