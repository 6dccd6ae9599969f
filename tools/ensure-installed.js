// JavaScript without a dependency: it runs before anything is installed, on the Node of the machine.
import { spawnSync } from 'node:child_process';
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** When a file was last changed, in milliseconds since the epoch; 0 if it is absent. */
function changedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Installs the packages of a folder, as its lock file says, if that has not been done or the lock file is newer. */
function ensureInstalled(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (changedAt(installed) >= changedAt(join(folder, 'package-lock.json'))) return;
  const packages = join(folder, 'node_modules');
  // npm would empty the folder that it leads to, which belongs to another clone.
  if (lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `${packages} is a symbolic link, and its packages may be older than ${join(folder, 'package-lock.json')}: remove the link, or run npm ci --prefix ${folder} where it leads to`,
    );
  process.stderr.write(`installing what ${join(folder, 'package.json')} names\n`);
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci --prefix ${folder} has failed`);
}

for (const folder of process.argv.slice(2)) ensureInstalled(folder);
