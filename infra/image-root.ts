import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { build } from 'esbuild';

/** The libraries that this very Node is linked with, by the paths at which its loader looks for them. */
function sharedLibraries(): readonly string[] {
  const report = process.report.getReport() as unknown as { readonly sharedObjects: string[] };
  // The kernel's own has no file.
  return report.sharedObjects.filter((path) => isAbsolute(path));
}

function copy(root: string, from: string, to: string): void {
  const target = join(root, to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(realpathSync(from), target);
}

/** Builds the forwarder, with all that it needs, as one file for Node 24. */
async function buildForwarder(outfile: string): Promise<void> {
  await build({
    entryPoints: ['functions/event-forwarder/program/main.ts'],
    absWorkingDir: `${import.meta.dirname}/..`,
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The ESM builds of the AWS SDK, from which what is not used can be left out.
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: {
      // Some packages are CommonJS and ask for modules of Node by require, which ESM does not have.
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
}

/**
 * Makes the file system of the forwarder's image (infra/Dockerfile): Node with its libraries, the forwarder, and a user.
 *
 * @param root a folder that is empty or absent
 * @throws the failure of esbuild, with what it could not resolve
 */
async function makeImageRoot(root: string): Promise<void> {
  copy(root, process.execPath, '/usr/local/bin/node');
  for (const library of sharedLibraries()) copy(root, library, library);
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'starfold:x:65532:65532::/:/nonexistent\n');
  writeFileSync(join(root, 'etc/group'), 'starfold:x:65532:\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  await buildForwarder(join(root, 'opt/starfold/event-forwarder.mjs'));
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('usage: image-root.ts FOLDER');
await makeImageRoot(root);
