import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..', '..');
/** What the workflow installs. */
const INSTALLED = ['node_modules', 'tools/node_modules'];

let folder: string;
let clone: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-workflow-'));
  clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone]);
  for (const path of INSTALLED) symlinkSync(join(ROOT, path), join(clone, path));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes the release twice in a clean clone, as the workflow says, and leaves the clone clean', async () => {
  const workflow = parse(readFileSync(join(clone, '.github/workflows/release.yml'), 'utf8'));
  const steps: readonly { run?: string }[] = workflow.jobs.package.steps;
  const scripts = steps.flatMap(({ run = '' }) => (run.includes('diff -r') ? [run] : []));
  expect(scripts).toHaveLength(1);
  // As the forge runs it.
  await promisify(execFile)('bash', ['-e', '-c', scripts.join('')], {
    cwd: clone,
    env: { ...env, RUNNER_TEMP: folder },
  });
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' });
  expect(status).toBe('');
});
