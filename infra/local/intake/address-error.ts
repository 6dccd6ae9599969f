import { IntakeError } from './intake-error.ts';

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: end who uses it, or choose another with --listen',
  EACCES: 'this process may not use the port: choose one above 1023 with --listen',
  EADDRNOTAVAIL: 'this machine has no such address: give one of its own with --listen',
  ENOTFOUND: 'there is no such host: give an address of this machine with --listen',
};

/**
 * What is said where nobody can listen at an address.
 *
 * @param error of the system
 * @returns names address, fault and remedy.
 */
export function addressError(host: string, port: number, error: unknown): IntakeError {
  const { code = '', message } = error as NodeJS.ErrnoException; // A server's error is one of the system.
  const fault = REMEDIES[code] ?? `${message}: choose another address with --listen`;
  return new IntakeError(`cannot listen on ${host}:${port} (${code}): ${fault}`, { cause: error });
}
