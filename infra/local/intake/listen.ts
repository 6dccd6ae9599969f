import type { Server } from 'node:http';
import { IntakeError } from './intake-error.ts';

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: end who uses it, or choose another with --listen',
  EACCES: 'this process may not use the port: choose one above 1023 with --listen',
  EADDRNOTAVAIL: 'this machine has no such address: give one of its own with --listen',
  ENOTFOUND: 'there is no such host: give an address of this machine with --listen',
};

/**
 * Lets a server listen.
 *
 * @param port 0: any free one
 * @returns the port
 * @throws IntakeError naming address, fault and remedy.
 */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  try {
    await promise;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException; // A server's error is one of the system.
    const fault = REMEDIES[code] ?? `${message}: choose another address with --listen`;
    throw new IntakeError(`cannot listen on ${host}:${port} (${code}): ${fault}`, { cause: error });
  }
  server.off('error', reject);
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
