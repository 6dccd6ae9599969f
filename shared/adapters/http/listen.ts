import type { Server } from 'node:http';

/**
 * Lets a server listen.
 *
 * @param address port 0: any free one
 * @returns the port
 * @throws the error of the system, which has a code, when it cannot.
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

/**
 * Takes no more connections, at once, and waits until the last one is closed.
 *
 * @param graceMs for requests under way, in milliseconds; what is open then is cut off.
 */
export async function close(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const closing = setTimeout(() => server.closeAllConnections(), graceMs);
  await promise;
  clearTimeout(closing);
}
