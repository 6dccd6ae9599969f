// Why a request has no complete answer. An ApiUnavailableError names the request before.

/** The caller has no more use for the answer. */
export const ABORTED = 'aborted by the caller';

const DEAD = 'the connection counts as dead';

/** A watch that continues after the time at which the server should have ended it. */
export const WATCH_NOT_ENDED = `the server did not end the watch: ${DEAD}`;

/** A watch of which the server has sent nothing for so long. */
export function nothingReceived(seconds: number): string {
  return `nothing received for ${seconds} s: ${DEAD}`;
}
