import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { commandPackage } from '#infra/release/command-package.ts';
import { forwarderNotices } from '#infra/release/forwarder-notices.ts';
import type { ImageNotices } from '#infra/release/image-notices.ts';
import packageJson from '#package.json' with { type: 'json' };
import { titlesWithLicence } from './notices.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DATE = new Date('2026-11-27T00:00:00Z');
const NODE = packageJson.devDependencies.node;
const FORWARDER = 'starfold-event-forwarder';
const WHOLE = 'starfold-image';

/** The members of CycloneDX that are read here. */
interface List {
  readonly metadata: { readonly component: Readonly<Record<string, string>> };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly 'bom-ref': string;
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const textOf = (content: Uint8Array): string => Buffer.from(content).toString();
const made = new Map<string, ImageNotices>();

beforeAll(async () => {
  made.set(FORWARDER, await forwarderNotices(ROOT, DATE));
  made.set(WHOLE, (await commandPackage(ROOT, DATE)).image);
});

function noticesOf(image: string): ImageNotices & { readonly list: List } {
  const found = made.get(image);
  if (found === undefined) throw new RangeError(`there is no image ${image}`);
  return { ...found, list: JSON.parse(textOf(found.sbom.content)) };
}

it('the same tree gives the same list and licences of the forwarder', async () => {
  expect(await forwarderNotices(ROOT, DATE)).toEqual(made.get(FORWARDER));
});

it.each([
  [FORWARDER, ['@aws-sdk/client-sqs', '@kubernetes/client-node', 'prom-client'], 'preact'],
  [WHOLE, ['commander', 'preact'], 'react'],
])('the list of %s is about it, and has Node and what is bundled', (image, some, other) => {
  const { sbom, notices, list } = noticesOf(image);
  expect(sbom.file).toBe(`${image}-${packageJson.version}.cdx.json`);
  expect(notices.file).toBe(`${image}-${packageJson.version}.THIRD-PARTY-NOTICES`);
  const { component } = list.metadata;
  const own = `${image}@${packageJson.version}`;
  expect(component).toMatchObject({ 'bom-ref': own, type: 'container', name: image });
  expect(component).not.toHaveProperty('purl');
  const names = list.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(some));
  // What only a developer or another program needs is not in the image.
  for (const one of ['esbuild', 'vitest', other]) expect(names).not.toContain(one);
  expect(list.components.find(({ name }) => name === 'node')).toMatchObject({
    version: NODE,
    purl: `pkg:generic/node@${NODE}`,
  });
  const root = list.dependencies.find(({ ref }) => ref === own);
  expect(root?.dependsOn).toEqual(list.components.map((one) => one['bom-ref']));
});

it.each([FORWARDER, WHOLE])('the licences of %s are those of everything on its list', (image) => {
  const { notices, list } = noticesOf(image);
  const titles = list.components.map(({ name, version }) => `${name} ${version}`);
  expect(titlesWithLicence(textOf(notices.content))).toEqual(titles.sort());
  // Node's own licence has those of what it contains.
  expect(textOf(notices.content)).toContain('- OpenSSL, located at deps/openssl');
});

it('the images are built from the Node that their lists name', () => {
  const dockerfile = readFileSync(join(ROOT, 'infra/Dockerfile'), 'utf8');
  expect(dockerfile).toContain(`ARG BASE=node:${NODE}-`);
});

it('an image names the Debian packages of its libraries, as a scanner reads them, with their licences', () => {
  const image = mkdtempSync(join(tmpdir(), 'starfold-image-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'infra/image-root.ts'), image]);
    const names = readdirSync(join(image, 'var/lib/dpkg/status.d'));
    expect(names.sort()).toEqual(['libc6', 'libgcc-s1', 'libstdc++6']);
    for (const name of names) {
      const status = readFileSync(join(image, 'var/lib/dpkg/status.d', name), 'utf8');
      expect(status).toContain(`Package: ${name}\n`);
      expect(status).toMatch(/^Version: \d/m);
      const licence = readFileSync(join(image, 'usr/share/doc', name, 'copyright'), 'utf8');
      expect(licence).toMatch(/GNU (?:Lesser )?General Public License/i);
    }
    expect(readFileSync(join(image, 'etc/os-release'), 'utf8')).toContain('ID=debian');
  } finally {
    rmSync(image, { recursive: true });
  }
});
