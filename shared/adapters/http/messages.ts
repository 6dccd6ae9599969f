import { TOKEN_RULE } from './event-intake.ts';

// The sentences about requests over HTTP: why events are not delivered to the receiver of an embedded stack, and why a server that
// listens without authentication refuses a request.

/** The server has not answered in time. */
export function noAnswer(seconds: number): string {
  return `no answer within ${seconds} s`;
}

/** The remedy for an answer 401. `file` is that of the token. */
export function unknownToken(file: string): string {
  return `the receiver does not know the token in ${file}: put that token, under the name of this source, into the file that starfold start --tokens names there`;
}

/** The remedy for an answer 413. */
export function largeRequest(bytes: number): string {
  return `a proxy before the receiver does not accept a request of ${bytes} bytes: raise its limit to 11 MiB`;
}

/** The remedy for a redirect. `to` is `''` if the answer does not say where. */
export function redirected(to: string): string {
  return `a redirect${to === '' ? '' : ` to ${to}`} is not followed: give the URL of the receiver itself`;
}

/** For an answer that may be another one later. */
export const RETRIED = 'the request is retried';

/** The remedy for an answer that a receiver does not give. */
export const OTHER_SERVER =
  'check that the URL is that of starfold start --listen, and that both are of one version';

/** The remedy for a certificate that no known authority has signed. `caFile` is undefined if the options name none. */
export function unknownAuthority(caFile: string | undefined): string {
  return caFile === undefined
    ? 'give the certificate of its authority with caFile'
    : `the authority of its certificate is not in ${caFile}: put it there`;
}

/** An error that neither the client nor a rule expects. `log` names where it is described. */
export function internalError(log: string): string {
  return `internal error: see the log of ${log}`;
}

/** A file that cannot be read, by the code of the error. It follows the name of the file. */
export function unreadableFile(code: string | undefined): string {
  return `it cannot be read (${code}): check the path and the right to read it`;
}

/** The fault of a token file. */
export const NO_TOKEN = `it does not contain a token: ${TOKEN_RULE}`;

/** No error quotes the URL, because it may contain a password. */
export const NO_URL = 'the receiver has no URL that can be used: write it as https://host:port';

/** A URL with a user or a password. */
export function urlWithUser(host: string): string {
  return `the receiver's URL, with the host ${host}, has a user or password: leave them out, because only the token in the token file is used`;
}

/** A request of a web page. */
export const ONLY_PROGRAMS =
  'this server answers programs on this machine, and no web page: send the request without Origin and Sec-Fetch-Site';

/** A request to another name of this machine. */
export const ONLY_LOCAL = 'this server answers only to localhost, 127.0.0.1 and [::1]';

/** A request of a page of another server. */
export const ONLY_OWN_PAGE =
  'this server answers its own page and programs, and no page of another server';
