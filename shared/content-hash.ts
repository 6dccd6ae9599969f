import { createHash } from 'node:crypto';

/** A hexadecimal SHA-256 of a text, cut to 32 characters. It identifies content. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
