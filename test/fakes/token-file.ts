import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

/** A token that is different for each name. */
export function tokenOf(name: string): string {
  return `token-of-${name.replaceAll(/[^a-z0-9]/gi, '-')}-`.padEnd(40, '0');
}

/** Writes a tokens file with a token of its own for each source; returns its path. */
export function writeTokens(file: string, sources: readonly string[]): string {
  writeFileSync(file, stringify(Object.fromEntries(sources.map((one) => [one, tokenOf(one)]))));
  return file;
}
