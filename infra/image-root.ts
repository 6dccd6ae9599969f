import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
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

/** What dpkg answers, or nothing where there is no dpkg. */
function dpkg(...args: readonly string[]): string {
  return spawnSync('dpkg-query', args, { encoding: 'utf8' }).stdout ?? '';
}

/** The names of the Debian packages in which files are. */
function packagesOf(files: readonly string[]): readonly string[] {
  // dpkg knows a file below /lib or below /usr/lib, whichever path its package has.
  const answer = dpkg('--search', ...files.map((path) => `*${path.replace(/^\/usr/, '')}`));
  const names = [...answer.matchAll(/^([a-z0-9+.-]+)(?::\w+)?: \//gm)].map(([, name = '']) => name);
  return [...new Set(names)];
}

/**
 * Adds what Debian says of packages, with their licences. Scanners read it where an image without a package manager has it: in
 * the same files as images of distroless.
 */
function describePackages(root: string, names: readonly string[]): void {
  for (const name of names) {
    const copyright = join('/usr/share/doc', name, 'copyright');
    copy(root, copyright, copyright);
    const status = join(root, 'var/lib/dpkg/status.d', name);
    mkdirSync(dirname(status), { recursive: true });
    writeFileSync(status, dpkg('--status', name));
  }
  if (names.length > 0) copy(root, '/etc/os-release', '/etc/os-release');
}

/**
 * Makes what the file systems of both images have (infra/Dockerfile): Node with its libraries, their licences, and a user.
 *
 * @param root a folder that is empty or absent
 */
function makeImageRoot(root: string): void {
  copy(root, process.execPath, '/usr/local/bin/node');
  const licence = join(dirname(process.execPath), '..', 'LICENSE');
  if (existsSync(licence)) copy(root, licence, '/usr/local/LICENSE');
  const libraries = sharedLibraries();
  for (const library of libraries) copy(root, library, library);
  describePackages(root, packagesOf(libraries));
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'starfold:x:65532:65532::/:/nonexistent\n');
  writeFileSync(join(root, 'etc/group'), 'starfold:x:65532:\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('usage: image-root.ts FOLDER');
makeImageRoot(root);
