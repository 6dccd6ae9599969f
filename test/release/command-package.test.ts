import { createHash } from 'node:crypto';
import { dirname, join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandPackage, type NpmPackage } from '#infra/release/command-package.ts';
import type { ReleaseFile } from '#infra/release/image-notices.ts';
import { asExpected } from '#local/start/demo-messages.ts';
import packageJson from '#package.json' with { type: 'json' };
import { linkTargets } from '#test/unit/docs/markdown.ts';
import { Installed } from './installed.ts';
import { titlesWithLicence } from './notices.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DATE = new Date('2026-11-27T00:00:00Z');
const MAX_BYTES = 3_000_000;

let made: NpmPackage;
let installed: Installed;
/** The texts of the files of the package, by their paths from its root. */
let texts: ReadonlyMap<string, string>;

beforeAll(async () => {
  made = await commandPackage(ROOT, DATE);
  installed = await Installed.of(made);
  const entries = await unpackTar(gunzipSync(made.archive.content));
  texts = new Map(
    entries.map(({ header, data = new Uint8Array() }) => [
      header.name.replace('package/', ''),
      Buffer.from(data).toString(),
    ]),
  );
});
afterAll(() => installed.remove());

it('is small, and the same tree gives the same bytes', async () => {
  const again = await commandPackage(ROOT, DATE);
  const hash = ({ content }: ReleaseFile) => createHash('sha256').update(content).digest('hex');
  expect(hash(again.archive)).toBe(hash(made.archive));
  expect(hash(again.sbom)).toBe(hash(made.sbom));
  expect(made.archive.content.length).toBeLessThanOrEqual(MAX_BYTES);
});

it('has every file that its documents link to', () => {
  const documents = [...texts].filter(([path]) => path.endsWith('.md'));
  const isThere = (path: string) =>
    [...texts.keys()].some((file) => file === path || file.startsWith(`${path}/`));
  const broken = documents.flatMap(([path, text]) =>
    linkTargets({ path, text, prose: text })
      .filter((target) => !/^[a-z]+:|^#/.test(target))
      .map((target) => normalize(join(dirname(path), target.replace(/#.*$/, ''))))
      .filter((target) => !isThere(target))
      .map((target) => `${path}: ${target}`),
  );
  expect(documents.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

it('has the licence of every package that its SBOM lists', () => {
  const notices = texts.get('THIRD-PARTY-NOTICES') ?? '';
  // CycloneDX.
  const { components } = JSON.parse(Buffer.from(made.sbom.content).toString()) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  expect(components.length).toBeGreaterThan(50);
  const titles = components.map(({ name, version }) => `${name} ${version}`);
  expect(titlesWithLicence(notices)).toEqual(titles.sort());
});

it('names no path of the machine that made it', () => {
  expect(gunzipSync(made.archive.content).includes(ROOT)).toBe(false);
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
  expect(stdout).toContain(asExpected('wds1'));
  expect(code).toBe(0);
});

/** The address of the page, once the demo has printed it. The output is read on: the demo ends if nobody reads it. */
async function pageOf(output: Readable): Promise<string> {
  let text = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk.toString();
    const [, address] = / page: (http:\S+)\n/.exec(text) ?? [];
    if (address !== undefined) {
      output.resume();
      return address;
    }
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
