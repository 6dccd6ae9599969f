import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '#package.json' with { type: 'json' };

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
  // Files of a clone are newer than what is installed. npm would install again, through the link.
  utimesSync(join(clone, 'tools/package-lock.json'), 0, 0);
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

describe('the first step of the workflow', () => {
  async function notes(tag: string): Promise<string> {
    const workflow = parse(readFileSync(join(clone, '.github/workflows/release.yml'), 'utf8'));
    const steps: readonly { run?: string }[] = workflow.jobs.package.steps;
    const script = steps.find(({ run }) => run?.includes('notes.md'))?.run ?? '';
    await promisify(execFile)('bash', ['-e', '-c', script], {
      cwd: clone,
      env: { ...env, RUNNER_TEMP: folder, GITHUB_REF_NAME: tag },
    });
    return readFileSync(join(folder, 'notes.md'), 'utf8');
  }

  it('takes what the changelog says of this version as the notes of the release', async () => {
    const text = await notes(`v${packageJson.version}`);
    expect(text).toContain('To upgrade, see');
    expect(text).toContain('### Changed');
    expect(text).not.toContain('The first release');
  });

  it('refuses a tag that does not name the version', async () => {
    await expect(notes('v0.1.0')).rejects.toThrow('Command failed');
  });
});
