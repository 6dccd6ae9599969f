import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandPackage, type NpmPackage } from '#infra/release/command-package.ts';
import packageJson from '#package.json' with { type: 'json' };
import { Installed } from './installed.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DATE = new Date('2026-11-27T00:00:00Z');
const MAX_BYTES = 3_000_000;

let made: NpmPackage;
let installed: Installed;

beforeAll(async () => {
  made = await commandPackage(ROOT, DATE);
  installed = await Installed.of(made);
});
afterAll(() => installed.remove());

it('is small, and the same tree gives the same bytes', async () => {
  const again = await commandPackage(ROOT, DATE);
  const hash = ({ content }: NpmPackage) => createHash('sha256').update(content).digest('hex');
  expect(hash(again)).toBe(hash(made));
  expect(made.content.length).toBeLessThanOrEqual(MAX_BYTES);
});

it('names no path of the machine that made it', () => {
  expect(gunzipSync(made.content).includes(ROOT)).toBe(false);
});

it.each(['starfold', 'kubectl-starfold'])('%s prints version and help', async (name) => {
  expect(await installed.command(name, '--version')).toEqual({
    code: 0,
    stdout: `${packageJson.version}\n`,
    stderr: '',
  });
  const { code, stdout } = await installed.command(name, '--help');
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: ${name.replace('-', ' ')} [options] [command]`);
});

it('evaluates the examples that come with it', async () => {
  const example = (name: string) => installed.path(`docs/examples/${name}.yaml`);
  const wecs = ['wec1', 'wec2'].flatMap((wec) => ['--wec', `${wec}=${example(wec)}`]);
  const { code, stdout } = await installed.command(
    'starfold',
    'eval',
    '-f',
    example('wds'),
    ...wecs,
    '-o',
    'json',
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'List' });
});

it('plays the demo until the WDS has the expected content', async () => {
  const { code, stdout } = await installed.command(
    'starfold',
    'start',
    '--exit',
    '--speed',
    '20',
    '--port',
    '0',
  );
  expect(stdout).toContain('wds1 has the expected content after the rollout');
  expect(code).toBe(0);
});

/** The address of the page, once the demo has printed it. */
async function pageOf(output: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk.toString();
    const [, address] = / page: (http:\S+)\n/.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`the demo has printed no address of a page: ${text}`);
}

it('serves the page of the demo', async () => {
  const demo = installed.start('starfold', 'start', '--port', '0');
  try {
    const answer = await fetch(await pageOf(demo.stdout));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<!doctype html>');
  } finally {
    demo.kill();
  }
});
