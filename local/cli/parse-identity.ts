import { InvalidArgumentError } from 'commander';

const IDENTITY = /^[\x20-\x7e]{1,512}$/;

/**
 * Reads the name of an installation.
 *
 * @throws InvalidArgumentError
 */
export function parseIdentity(text: string): string {
  if (!IDENTITY.test(text) || text.trim() !== text)
    throw new InvalidArgumentError('Give 1 to 512 printable ASCII characters.');
  return text;
}
