import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/**
 * Gives all files that tests and the programs that they start leave in the system's folder for temporary files a folder of
 * their own, before the workers of the tests start.
 *
 * @returns what removes the folder at the end
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-tests-'));
  env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
