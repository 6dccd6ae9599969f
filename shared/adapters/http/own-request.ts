import type { IncomingMessage } from 'node:http';

/** What a request to this machine itself names as its host. The port may be that of a tunnel to this server. */
const OWN_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d+)?$/i;

/**
 * Why a request to a server that listens on this machine, and asks nobody who he is, is not one of a program here:
 * browsers let any page of the web send requests to such a server. `undefined`: it is one.
 *
 * The name of the host tells pages whose own name was made to lead here (DNS rebinding); browsers say with `Origin` and
 * `Sec-Fetch-Site` that a request is another site's (Fetch Metadata Request Headers).
 */
export function foreignRequest({ headers }: IncomingMessage): string | undefined {
  if (!OWN_HOST.test(headers.host ?? ''))
    return 'this server answers to localhost, 127.0.0.1 and [::1], and to no other name';
  const site = headers['sec-fetch-site'];
  const isOfPage = site !== undefined && site !== 'none' && site !== 'same-origin';
  if (headers.origin === undefined && !isOfPage) return undefined;
  return 'this server answers programs on this machine, and no page of the web: ask without Origin and Sec-Fetch-Site';
}
