import { InvalidArgumentError } from 'commander';
import { IDENTITY_FORM } from './option-messages.ts';

const IDENTITY = /^[\x20-\x7e]{1,512}$/;

/**
 * Reads the name of an installation.
 *
 * @throws InvalidArgumentError
 */
export function parseIdentity(text: string): string {
  if (!IDENTITY.test(text) || text.trim() !== text) throw new InvalidArgumentError(IDENTITY_FORM);
  return text;
}
