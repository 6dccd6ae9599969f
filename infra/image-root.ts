import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

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

/**
 * Makes what the file systems of both images have (infra/Dockerfile): Node with its libraries, and a user.
 *
 * @param root a folder that is empty or absent
 */
function makeImageRoot(root: string): void {
  copy(root, process.execPath, '/usr/local/bin/node');
  for (const library of sharedLibraries()) copy(root, library, library);
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'starfold:x:65532:65532::/:/nonexistent\n');
  writeFileSync(join(root, 'etc/group'), 'starfold:x:65532:\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('usage: image-root.ts FOLDER');
makeImageRoot(root);
