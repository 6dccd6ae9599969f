import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { build } from 'esbuild';

/** The libraries with which the running Node is linked, by the paths at which its loader looks for them. */
function sharedLibraries(): readonly string[] {
  const report = process.report.getReport() as unknown as { readonly sharedObjects: string[] };
  // The kernel's own library has no file.
  return report.sharedObjects.filter((path) => isAbsolute(path));
}

function copy(root: string, from: string, to: string): void {
  const target = join(root, to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(realpathSync(from), target);
}

/** Builds the forwarder with all of its dependencies as one file for Node 24. */
async function buildForwarder(outfile: string): Promise<void> {
  await build({
    entryPoints: ['functions/event-forwarder/program/main.ts'],
    absWorkingDir: `${import.meta.dirname}/..`,
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The ESM builds of the AWS SDK. Unused code can be left out of them.
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: {
      // Some packages are CommonJS and load modules of Node with require, which ESM does not have.
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
}

/**
 * Makes the file system of the forwarder's image (infra/Dockerfile): Node with its libraries, the forwarder, and a user.
 *
 * @param root a folder that is empty or absent
 * @throws the error of esbuild, with the modules that it could not resolve
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
