import { IntakeError } from './intake-error.ts';
import { cannotListen } from './messages.ts';

/**
 * The message if the process cannot listen at an address. It names the address, the problem and the remedy.
 *
 * @param option the command-line option that sets the address
 * @param error an error of the system
 */
export function addressFault(
  address: { readonly host: string; readonly port: number },
  option: string,
  error: unknown,
): string {
  const { code = '', message } = error as NodeJS.ErrnoException; // A server's error is one of the system.
  return cannotListen(address, option, { code, message });
}

/** The error if events cannot be received at an address. */
export function addressError(host: string, port: number, error: unknown): IntakeError {
  return new IntakeError(addressFault({ host, port }, '--listen', error), { cause: error });
}
