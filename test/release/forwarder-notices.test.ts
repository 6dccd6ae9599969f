import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type ForwarderNotices, forwarderNotices } from '#infra/release/forwarder-notices.ts';
import packageJson from '#package.json' with { type: 'json' };
import { titlesWithLicence } from './notices.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DATE = new Date('2026-11-27T00:00:00Z');

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
let made: ForwarderNotices;
let list: List;

beforeAll(async () => {
  made = await forwarderNotices(ROOT, DATE);
  list = JSON.parse(textOf(made.sbom.content));
});

it('the same tree gives the same list and licences of the forwarder', async () => {
  expect(await forwarderNotices(ROOT, DATE)).toEqual(made);
  const name = `starfold-event-forwarder-${packageJson.version}`;
  expect(made.sbom.file).toBe(`${name}.cdx.json`);
  expect(made.notices.file).toBe(`${name}.THIRD-PARTY-NOTICES`);
});

it('the list of the forwarder is about it, and has what it sends and reads with', () => {
  const { component } = list.metadata;
  const own = `starfold-event-forwarder@${packageJson.version}`;
  expect(component).toMatchObject({ 'bom-ref': own, name: 'starfold-event-forwarder' });
  expect(component).not.toHaveProperty('purl');
  const names = list.components.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['@aws-sdk/client-sqs', '@kubernetes/client-node', 'prom-client']),
  );
  // What only a developer or the page needs is not in the image.
  for (const other of ['esbuild', 'vitest', 'preact']) expect(names).not.toContain(other);
  const root = list.dependencies.find(({ ref }) => ref === own);
  expect(root?.dependsOn).toEqual(list.components.map((one) => one['bom-ref']));
});

it('the licences of the forwarder are those of every package that its list names', () => {
  const titles = list.components.map(({ name, version }) => `${name} ${version}`);
  expect(titlesWithLicence(textOf(made.notices.content))).toEqual(titles.sort());
});
