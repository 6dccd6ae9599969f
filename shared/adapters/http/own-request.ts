import type { IncomingMessage } from 'node:http';
import { ONLY_LOCAL, ONLY_OWN_PAGE, ONLY_PROGRAMS } from './messages.ts';

/** The host in requests to this machine itself. The port may be that of a tunnel to this server. */
const OWN_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d+)?$/i;

/**
 * Checks that a request comes from a program on this machine. A server that listens on this machine without authentication
 * needs this, because browsers let any web page send requests to it. Returns undefined if the request is allowed, and the
 * reason otherwise.
 *
 * The host rejects pages whose own name resolves to this machine (DNS rebinding). With `Origin` and `Sec-Fetch-Site`, browsers
 * mark requests of other sites (Fetch Metadata Request Headers).
 */
export function foreignRequest(request: IncomingMessage): string | undefined {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  const isOfPage = site !== undefined && site !== 'none' && site !== 'same-origin';
  if (headers.origin === undefined && !isOfPage) return foreignHost(request);
  return foreignHost(request) ?? ONLY_PROGRAMS;
}

/** Checks only the host of {@link foreignRequest}: for files that everybody may have, but no page of another name. */
export function foreignHost({ headers }: IncomingMessage): string | undefined {
  if (OWN_HOST.test(headers.host ?? '')) return undefined;
  return ONLY_LOCAL;
}

/**
 * Checks that no page of another server sends a request: a proxy in front of this server may add the credentials of the user to
 * everything that a browser sends. Programs send neither `Sec-Fetch-Site` nor `Origin`. Returns the reason, or undefined if the
 * request is allowed.
 */
export function foreignSite({ headers }: IncomingMessage): string | undefined {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? origin === undefined || URL.parse(origin)?.host === host
      : site === 'same-origin' || site === 'none';
  return isOwn ? undefined : ONLY_OWN_PAGE;
}

/**
 * As {@link foreignRequest}, for a server that serves a page itself: requests of this page are allowed, too. A page of another
 * port of this machine is another origin, so it is not.
 */
export function foreignToPage(request: IncomingMessage): string | undefined {
  const { headers } = request;
  if (headers.origin !== `http://${headers.host}`) return foreignRequest(request);
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  return site === 'same-origin' ? foreignHost(request) : foreignRequest(request);
}
