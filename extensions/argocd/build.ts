import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
/** Argo CD loads files of this form only. */
const FILE = 'extension-starfold.js';

/**
 * Builds the extension, one file without imports. React is not in it: Argo CD's page has it as a global variable.
 *
 * @returns the path of the file
 */
export async function buildExtension(folder: string): Promise<string> {
  const outfile = join(folder, FILE);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(HERE, 'extension.tsx')],
    outfile,
    absWorkingDir: join(HERE, '..', '..'),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    jsx: 'transform',
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outfile;
}

if (import.meta.main)
  process.stdout.write(`${await buildExtension(argv[2] ?? join(HERE, '..', '..', '.out'))}\n`);
