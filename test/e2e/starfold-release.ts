import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '#package.json' with { type: 'json' };

const SOURCES = ['console', 'functions', 'infra', 'local', 'shared', 'package.json'];

/** A change of a source file: each text is replaced by the one beside it. */
interface Change {
  readonly file: string;
  readonly texts: readonly (readonly [before: string, after: string])[];
}

/** A layout of the state file that this release does not know: one more column, and the migration to it. */
export const NEWER_LAYOUT: Change = {
  file: 'shared/adapters/sqlite/schema.ts',
  texts: [
    ['SCHEMA_VERSION = 4;', 'SCHEMA_VERSION = 5;'],
    [
      'uncounted INTEGER NOT NULL DEFAULT 0\n) STRICT;',
      "uncounted INTEGER NOT NULL DEFAULT 0,\n  of_next TEXT NOT NULL DEFAULT ''\n) STRICT;",
    ],
    [
      'FROM_VERSION_2, FROM_VERSION_3]',
      `FROM_VERSION_2, FROM_VERSION_3, "ALTER TABLE messages ADD COLUMN of_next TEXT NOT NULL DEFAULT '';"]`,
    ],
  ],
};

async function edit(folder: string, { file, texts }: Change): Promise<void> {
  let text = await readFile(join(folder, file), 'utf8');
  for (const [before, after] of texts) {
    if (!text.includes(before)) throw new Error(`${file} does not have: ${before}`);
    text = text.replace(before, after);
  }
  await writeFile(join(folder, file), text);
}

/**
 * Makes a release of another version: a copy of the sources, with changes.
 *
 * @param folder one that is absent
 * @returns the file of its program
 * @throws Error if a file does not have what is to be changed, or if the program does not say that it has the version
 */
export async function makeRelease(
  folder: string,
  version: string,
  ...changes: readonly Change[]
): Promise<string> {
  await mkdir(folder);
  const isOwn = (path: string): boolean => basename(path) !== 'node_modules';
  for (const name of SOURCES)
    await cp(name, join(folder, name), { recursive: true, filter: isOwn });
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const named = (of: string): string => `"version": "${of}"`;
  const file = 'package.json';
  await edit(folder, { file, texts: [[named(packageJson.version), named(version)]] });
  for (const change of changes) await edit(folder, change);
  const main = join(folder, 'local/cli/starfold.js');
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
  if (stdout !== `${version}\n`) throw new Error(`${main} is of version ${stdout}`);
  return main;
}
