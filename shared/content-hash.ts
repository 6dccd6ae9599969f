import { createHash } from 'node:crypto';

/** Hexadecimal SHA-256 of a text, cut to 32 characters: names content. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
