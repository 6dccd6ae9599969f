import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { calledAs } from '#local/cli/called-as.ts';
import packageJson from '#package.json' with { type: 'json' };
import { STARFOLD } from './command.ts';

const COMMAND = STARFOLD.replace(/\.ts$/, '.js');

it('is installed as a plugin of kubectl', () => {
  expect(packageJson.bin).toEqual({
    starfold: './local/cli/starfold.js',
    'kubectl-starfold': './local/cli/starfold.js',
  });
});

it.each([
  ['/usr/bin/kubectl-starfold', 'kubectl starfold'],
  ['C:\\kubectl-starfold.exe', 'starfold'],
  ['/usr/bin/starfold', 'starfold'],
  ['/repo/local/cli/starfold.js', 'starfold'],
  ['/usr/bin/kubectl-starfold.cmd', 'kubectl starfold'],
])('called by %s, it calls itself %s', (script, name) => {
  expect(calledAs(script)).toBe(name);
});

it('says kubectl starfold in its help if kubectl calls it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-plugin-'));
  try {
    symlinkSync(COMMAND, join(folder, 'kubectl-starfold'));
    const plugin = join(folder, 'kubectl-starfold');
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [plugin, ...args], { encoding: 'utf8' });
    const help = run('--help');
    expect(help.stdout).toMatch(/^Usage: kubectl starfold \[options\]/);
    expect(help.stdout).toContain('\n  $ kubectl starfold get deployment/web -n shop\n');
    const get = run('get', '--help').stdout;
    expect(get).toMatch(/^Usage: kubectl starfold get /);
    expect(get).not.toContain('$ starfold');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
