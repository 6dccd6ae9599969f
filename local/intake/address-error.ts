import { IntakeError } from './intake-error.ts';

type Remedy = (option: string) => string;

const REMEDIES: Readonly<Record<string, Remedy>> = {
  EADDRINUSE: (option) =>
    `the port is in use: end the process that uses it, or choose another with ${option}`,
  EACCES: (option) => `this process may not use the port: choose one above 1023 with ${option}`,
  EADDRNOTAVAIL: (option) => `this machine has no such address: give one of its own with ${option}`,
  ENOTFOUND: (option) => `there is no such host: give an address of this machine with ${option}`,
};

/**
 * The message if the process cannot listen at an address. It names the address, the problem and the remedy.
 *
 * @param option the command-line option that sets the address
 * @param error an error of the system
 */
export function addressFault(
  { host, port }: { readonly host: string; readonly port: number },
  option: string,
  error: unknown,
): string {
  const { code = '', message } = error as NodeJS.ErrnoException; // A server's error is one of the system.
  const fault = REMEDIES[code]?.(option) ?? `${message}: choose another address with ${option}`;
  return `cannot listen on ${host}:${port} (${code}): ${fault}`;
}

/** The error if events cannot be received at an address. */
export function addressError(host: string, port: number, error: unknown): IntakeError {
  return new IntakeError(addressFault({ host, port }, '--listen', error), { cause: error });
}
