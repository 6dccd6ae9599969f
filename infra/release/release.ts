import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '#package.json' with { type: 'json' };
import { commandPackage } from './command-package.ts';
import { deploymentPackage } from './deployment-package.ts';
import { forwarderNotices } from './forwarder-notices.ts';

const ROOT = join(import.meta.dirname, '..', '..');

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

/**
 * Makes the package of the commit that is checked out and its SBOM, the SBOM and the licences of each image, and the archive for AWS,
 * in `dist`, and prints their hashes, names and sizes.
 */
async function release(): Promise<void> {
  if (git('status', '--porcelain') !== '') {
    if (!process.argv.includes('--uncommitted'))
      throw new Error(
        'the work tree differs from its commit: commit or stash the changes, or, to try them, add --uncommitted',
      );
    process.stderr.write('release: the work tree differs from its commit: this is no release\n');
  }
  const tag = `v${packageJson.version}`;
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(tag))
    process.stderr.write(`release: this commit has no tag ${tag}: it is no release\n`);
  const date = new Date(Number(git('log', '-1', '--format=%ct')) * 1000);
  const { image, ...command } = await commandPackage(ROOT, date);
  const forwarder = await forwarderNotices(ROOT, date);
  const folder = join(ROOT, 'dist');
  mkdirSync(folder, { recursive: true });
  const deployment = await deploymentPackage(ROOT, date);
  const files = [...[command, image, forwarder].flatMap(Object.values), deployment];
  for (const { file, content } of files) {
    writeFileSync(join(folder, file), content);
    const hash = createHash('sha256').update(content).digest('hex');
    process.stdout.write(`${hash}  dist/${file} (${content.length} bytes)\n`);
  }
}

try {
  await release();
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
