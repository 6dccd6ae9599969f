import { IntakeError } from './intake-error.ts';

type Remedy = (option: string) => string;

const REMEDIES: Readonly<Record<string, Remedy>> = {
  EADDRINUSE: (option) => `the port is in use: end who uses it, or choose another with ${option}`,
  EACCES: (option) => `this process may not use the port: choose one above 1023 with ${option}`,
  EADDRNOTAVAIL: (option) => `this machine has no such address: give one of its own with ${option}`,
  ENOTFOUND: (option) => `there is no such host: give an address of this machine with ${option}`,
};

/**
 * What is said where nobody can listen at an address: it names address, fault and remedy.
 *
 * @param option of the command line, which the address comes from
 * @param error of the system
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

/** What is said where events cannot be received at an address. */
export function addressError(host: string, port: number, error: unknown): IntakeError {
  return new IntakeError(addressFault({ host, port }, '--listen', error), { cause: error });
}
