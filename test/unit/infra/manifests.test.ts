import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = resolve('infra/manifests/render.sh');
const MANIFESTS = readdirSync('infra/manifests').filter((file) => file.endsWith('.yaml'));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-manifests-'));
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'helm'), '#!/bin/sh\necho "kind: Rendered"\n', { mode: 0o755 });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function render(target: string) {
  const command = [`HELM_ASSETS=${folder}`, 'bash', SCRIPT, target];
  return spawnSync('env', command, { cwd: folder, encoding: 'utf8' });
}

it('the manifests are rendered into a folder that is named from where the script is called', () => {
  expect(render('out').status).toBe(0);
  expect(readdirSync(join(folder, 'out')).sort()).toEqual(MANIFESTS.sort());
  for (const file of MANIFESTS)
    expect(readFileSync(join(folder, 'out', file), 'utf8')).toContain('kind: Rendered');
});

it('no manifest is rendered if the folder is not there, which is named', () => {
  const { status, stderr } = render('absent');
  expect(status).not.toBe(0);
  expect(stderr).toContain('absent');
});
