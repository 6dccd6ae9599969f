import type { Server } from 'node:http';

/**
 * Starts to listen.
 *
 * @param address with port 0, any free port is used
 * @returns the port
 * @throws the system error, which has a code, if the server cannot listen.
 */
export async function listen(
  server: Server,
  address: { readonly host: string; readonly port: number },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host: address.host, port: address.port }, resolve);
  await promise;
  server.off('error', reject);
  const taken = server.address();
  return typeof taken === 'object' && taken !== null ? taken.port : address.port;
}

/** The URL of a server that listens at an address. */
export function serverUrl(
  scheme: 'http' | 'https',
  { host, port }: { readonly host: string; readonly port: number },
): string {
  // Of IPv6.
  const name = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${name}:${port}`;
}

/** How often it looks for connections whose last request has ended. */
const LOOK_MS = 20;

/**
 * Stops accepting connections at once, and waits until the last connection is closed.
 *
 * @param graceMs the time for open requests, in milliseconds; connections that are still open then are closed.
 */
export async function close(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  // Node closes what is idle now. What becomes idle later, such as the connection of a watch, is kept for another request.
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_MS);
  const closing = setTimeout(() => server.closeAllConnections(), graceMs);
  await promise;
  clearInterval(looking);
  clearTimeout(closing);
}
