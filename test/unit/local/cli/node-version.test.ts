import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const COMMAND = join(import.meta.dirname, '..', '..', '..', '..', 'local', 'cli', 'starfold.js');

/** Runs the command on a Node that says that it is of this version. */
function runOn(version: string): { readonly code: number | null; readonly text: string } {
  const told = `Object.defineProperty(process, 'version', { value: '${version}' })`;
  const args = ['--import', `data:text/javascript,${told}`, COMMAND, '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
}

it.each(['v18.20.4', 'v22.21.0'])('names the remedy if Node is too old: %s', (version) => {
  expect(runOn(version)).toEqual({
    code: 1,
    text: `starfold: Node ${version} is too old, Node 24 or newer is needed: run npm ci in the folder of Starfold, which installs Node 24, then npx starfold there\n`,
  });
});

it.each(['v24.0.0', 'v100.0.0'])('runs on Node %s', (version) => {
  expect(runOn(version)).toEqual({ code: 0, text: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
